import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { z } from "zod";
import { seedSchema } from "./admin/seed.ts";
import { transitionSettingsSchema } from "./control-plane/transition-settings.ts";
import { faultRuleSchema } from "./faults/fault-rule.ts";

/** What a configuration file of the mock server may hold, as YAML or JSON. */
const configSchema = z.strictObject({
  ...seedSchema.shape,
  /** How revisions move: the mode and the exceptions by name. */
  transitions: transitionSettingsSchema.optional(),
  faults: z.array(faultRuleSchema).optional(),
  /** Keys and their workspaces. */
  api_keys: z.record(z.string().min(1), z.array(z.string().min(1))).optional(),
  /** Hosts beyond loopback that the server may call. */
  allow_outbound: z.array(z.string().min(1)).optional(),
});
export type MockConfig = z.output<typeof configSchema>;

/**
 * Reads a configuration file.
 * @throws {RangeError} when there is no such file, or it isn't what is expected; the message names the file and the field.
 */
export async function readMockConfig(path: string): Promise<MockConfig> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    throw new RangeError(`${path} can't be read: give --config the path of a YAML or JSON file`);
  }
  let input: unknown;
  try {
    input = parse(text) ?? {};
  } catch (error) {
    throw new RangeError(`${path} is no YAML: ${(error as Error).message.split("\n")[0]}`);
  }
  const result = configSchema.safeParse(input);
  if (result.success) return result.data;
  const broken = result.error.issues.map(
    ({ path: steps, message }) => `${steps.join(".") || "(the file)"}: ${message}`,
  );
  throw new RangeError(`${path}: ${broken.join("; ")}`);
}
