import { z } from "zod";

const text = z.string().min(1);

/** The names of headers but those about the connection and the length of the body. */
const framing = /^(?!(host|connection|keep-alive|content-length|transfer-encoding|upgrade|expect|te|trailer)$)/i;

/** The fields of a run that its webhook has. */
const webhookFields = z.enum([
  "run_id",
  "thread_id",
  "assistant_id",
  "created_at",
  "updated_at",
  "metadata",
  "kwargs",
  "multitask_strategy",
  "status",
  "run_started_at",
  "run_ended_at",
  "webhook_sent_at",
  "values",
  "error",
]);

/** Settings of the webhooks of runs. */
export const webhooksConfig = z.looseObject({
  /** What the names of variables in `headers` must begin with. @default LG_WEBHOOK_ */
  env_prefix: z.string().optional(),
  /** Headers of every webhook; `${{ env.NAME }}` in a value stands for a variable of the project. */
  headers: z
    .record(
      z
        .string()
        .regex(/^[\w!#$%&'*+\-.^`|~]+$/, { error: "must be the name of a header" })
        .regex(framing, { error: "is set by the server" }),
      z.string(),
    )
    .nullish(),
  /** The fields of a run that are sent. @default all */
  allowed_fields: z.array(webhookFields).nullish(),
  /** Which URLs a run may have as its webhook, in addition to what `--allow-outbound` requires. */
  url: z
    .looseObject({
      /** Whether URLs must begin with `https://`. @default false */
      require_https: z.boolean().optional(),
      /** Host names; `*.example.com` are the subdomains of a domain. @default any */
      allowed_domains: z
        .array(text.regex(/^(\*\.)?[^*]+$/, { error: "may have * only in front, as in *.example.com" }))
        .optional(),
      /** Ports, of URLs without a port 443 or 80. @default any */
      allowed_ports: z.array(z.number().int().min(1).max(65_535)).optional(),
      /** Maximum length, in characters. @default 65536 */
      max_url_length: z.number().int().positive().optional(),
      /** Whether paths of the app and names and addresses of this machine are refused. @default false */
      disable_loopback: z.boolean().optional(),
      /** Whether addresses of private networks are refused. @default false */
      disable_private_ips: z.boolean().optional(),
    })
    .nullish(),
});
