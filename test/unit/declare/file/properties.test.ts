import fc from "fast-check";
import { expect, test } from "vitest";
import { read } from "./read.ts";

const secret = "hunter2hunter2";
const text = `version: 1
defaults: &defaults
  source: github
  source_config: { repo_url: "https://github.com/acme/agents", build_on_push: true }
  source_revision_config:
    repo_ref: "\${REF}"
    graph_config_path: graph.json
deployments:
  chat:
    <<: *defaults
    secrets:
      TOKEN: ${secret}
      OTHER: "\${TOKEN:-none}"
      FILE: '\${file:key}'
    crons: { nightly: { schedule: "0 3 * * *", assistant_id: chat } }
environments:
  staging: { deployments: { chat: { secrets: { TOKEN: "${secret}", FILE: null } } } }
`;

/** A typing error: some characters are missing, and others are in their place. */
const slip = fc.record({
  at: fc.nat(text.length),
  removed: fc.integer({ min: 0, max: 6 }),
  inserted: fc.string({ unit: fc.constantFrom(..."{}[]:,*&!|>\"'\t\n $#-?a1"), maxLength: 3 }),
});

test("any typing error yields problems and never an exception, and no message has a secret", () => {
  const env = { REF: "refs/heads/hunter2hunter2", TOKEN: secret };
  const check = (broken: string, path: string) => {
    for (const environment of [undefined, "staging"]) {
      const { problems } = read(broken, { path, environment, env, readFile: () => secret });
      for (const { line, column, message } of problems) {
        expect(line).toBeGreaterThan(0);
        expect(column).toBeGreaterThan(0);
        expect(message).not.toContain("hunter2");
      }
    }
  };
  fc.assert(
    fc.property(fc.array(slip, { minLength: 1, maxLength: 3 }), (slips) => {
      let broken = text;
      for (const { at, removed, inserted } of slips)
        broken = broken.slice(0, at) + inserted + broken.slice(at + removed);
      // Half of a secret isn't recognizable as a secret.
      fc.pre(!/hunter2/.test(broken.replaceAll(secret, "")));
      check(broken, "graphdeploy.yaml");
      check(broken, "graphdeploy.json");
    }),
    { numRuns: 1_000 },
  );
});

test("any JSON file can be read without an exception", () => {
  fc.assert(
    fc.property(fc.json(), fc.json(), (defaults, deployment) => {
      const json = `{"version": 1, "defaults": ${defaults}, "deployments": {"chat": ${deployment}, "other": {}}, "previews": ${deployment}}`;
      expect(read(json, { path: "graphdeploy.json" }).problems.length).toBeGreaterThan(0);
    }),
    { numRuns: 500 },
  );
});
