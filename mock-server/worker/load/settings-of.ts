import {
  defaultProjectSettings,
  type ProjectSettings,
  type ThreadTtlSettings,
  type WebhookSettings,
} from "../../agent-server/project-settings.ts";
import type { HeaderPatterns } from "../../kit/http/header-patterns.ts";
import type { GraphConfig } from "./graph-config-schema.ts";
import type { HeadersConfig } from "./http-config-schema.ts";

/** What a configuration file says about the agent server. */
export function settingsOf(config: GraphConfig): ProjectSettings {
  const { http, store, checkpointer, auth } = config;
  const { default_ttl: minutes, refresh_on_read: refreshOnRead, sweep_interval_minutes: sweep } = store?.ttl ?? {};
  const { openapi } = auth ?? {};
  return {
    configurableHeaders: headerPatterns(http?.configurable_headers),
    loggedHeaders: headerPatterns(http?.logging_headers),
    threadTtl: checkpointer?.ttl ? threadTtl(checkpointer.ttl) : null,
    itemTtl: { minutes: minutes ?? null, refreshOnRead: refreshOnRead ?? true, sweepMinutes: sweep ?? null },
    webhooks: webhookSettings(config),
    security: openapi
      ? { schemes: openapi.securitySchemes ?? {}, requirements: openapi.security ?? null, byPath: openapi.paths ?? {} }
      : null,
  };
}

function headerPatterns(headers: HeadersConfig | null | undefined): HeaderPatterns | null {
  const { includes, excludes } = headers ?? {};
  const lower = (names: readonly string[]) => names.map((name) => name.toLowerCase());
  return headers ? { includes: includes ? lower(includes) : null, excludes: lower(excludes ?? []) } : null;
}

function threadTtl(ttl: NonNullable<NonNullable<GraphConfig["checkpointer"]>["ttl"]>): ThreadTtlSettings {
  return {
    strategy: ttl.strategy ?? "delete",
    minutes: ttl.default_ttl ?? null,
    sweepMinutes: ttl.sweep_interval_minutes ?? null,
    sweepLimit: ttl.sweep_limit ?? null,
  };
}

function webhookSettings({ webhooks, http }: GraphConfig): WebhookSettings {
  const { urls } = defaultProjectSettings.webhooks;
  const { url } = webhooks ?? {};
  return {
    isDisabled: http?.disable_webhooks ?? false,
    headers: webhooks?.headers ?? {},
    fields: webhooks?.allowed_fields ?? null,
    urls: {
      requiresHttps: url?.require_https ?? urls.requiresHttps,
      domains: url?.allowed_domains?.map((domain) => domain.toLowerCase()) ?? urls.domains,
      ports: url?.allowed_ports ?? urls.ports,
      maxLength: url?.max_url_length ?? urls.maxLength,
      refusesLoopback: url?.disable_loopback ?? urls.refusesLoopback,
      refusesPrivateAddresses: url?.disable_private_ips ?? urls.refusesPrivateAddresses,
    },
  };
}
