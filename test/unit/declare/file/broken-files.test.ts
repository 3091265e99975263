import { expect, test } from "vitest";
import type { DeclarativeFileOptions } from "../../../../core/declare/file/declarative-file.ts";
import { read, shownProblems } from "./read.ts";

interface BrokenFile extends Partial<DeclarativeFileOptions> {
  name: string;
  text: string;
  /** Line, column, path and message of each problem. */
  problems: readonly string[];
}

const image = "source: external_docker, source_revision_config: { image_uri: registry/agent:1 }";

function declaring(...lines: string[]): string {
  return ["version: 1", "deployments:", ...lines, ""].join("\n");
}

const brokenFiles: readonly BrokenFile[] = [
  { name: "an empty file", text: "", problems: ["1:1 is empty."] },
  {
    name: "an environment named as previews are",
    text: "version: 1\ndeployments: {}\nenvironments: { pr-7: {} }\n",
    problems: ["3:17 environments.pr-7: is the name of a pull request's previews. Choose another one."],
  },
  {
    name: "a name that ends like an ownership marker",
    text: declaring(`  chat: { ${image}, name: "chat#g-0123456789ab" }`),
    problems: ["3:99 deployments.chat.name: ends like an ownership marker. Choose another name."],
  },
  { name: "a file of comments", text: "# nothing yet\n", problems: ["1:1 is empty."] },
  { name: "a list", text: "- version: 1\n", problems: ["1:1 must be a map."] },
  { name: "no version", text: "deployments: {}\n", problems: ["1:1 version: is required."] },
  { name: "another version", text: "version: 2\ndeployments: {}\n", problems: ["1:10 version: must be 1."] },
  {
    name: "a version as text",
    text: "version: '1'\ndeployments: {}\n",
    problems: ["1:10 version: must be 1, without quotes."],
  },
  { name: "no deployments", text: "version: 1\n", problems: ["1:1 deployments: is required."] },
  {
    name: "deployments without anything below",
    text: "version: 1\ndeployments:\n",
    problems: ["2:1 deployments: is empty. Leave it out, or write {} for an empty map."],
  },
  {
    name: "deployments as a list",
    text: "version: 1\ndeployments:\n  - name: chat\n",
    problems: ["2:1 deployments: must be a map."],
  },
  {
    name: "an unknown key at the top",
    text: "version: 1\ndeployment: {}\n",
    problems: ["2:1 deployment: is not a known key. Did you mean deployments?"],
  },
  {
    name: "a misspelt key, without a message about what it stands for",
    text: declaring("  chat: { sorce: external_docker, source_revision_config: { image_uri: a } }"),
    problems: ["3:11 deployments.chat.sorce: is not a known key. Did you mean source?"],
  },
  {
    name: "a key in camel case",
    text: declaring(`  chat: { ${image}, displayName: Chat }`),
    problems: ["3:93 deployments.chat.displayName: is not a known key. Did you mean display_name?"],
  },
  {
    name: "a key one level too high",
    text: declaring(
      "  chat:",
      "    source: github",
      "    repo_url: https://github.com/acme/chat",
      "    source_revision_config: { graph_config_path: graph.json }",
    ),
    problems: ["5:5 deployments.chat.repo_url: is not a known key here. It belongs in source_config, as repo_url."],
  },
  {
    name: "an unknown key that is like no other",
    text: declaring(`  chat: { ${image}, store: [{ namespace: [a], key: k, value: {}, zzzzzz: 1 }] }`),
    problems: [
      "3:138 deployments.chat.store[0].zzzzzz: is not a known key. Expected one of: namespace, key, value, index, ttl.",
    ],
  },
  {
    name: "a deployment without anything",
    text: declaring("  chat:"),
    problems: ["3:3 deployments.chat: is empty. Leave it out, or write {} for an empty map."],
  },
  {
    name: "a deployment as text",
    text: declaring("  chat: support"),
    problems: ["3:9 deployments.chat: must be a map."],
  },
  {
    name: "no source",
    text: declaring("  chat: { env: { A: b } }"),
    problems: ["3:3 deployments.chat.source: is required."],
  },
  {
    name: "a repository without its fields",
    text: declaring("  chat:", "    source: github"),
    problems: [
      "3:3 deployments.chat.source_config.repo_url: is required for the source github.",
      "3:3 deployments.chat.source_revision_config.graph_config_path: is required for the source github: the path of the graph configuration file in the repository.",
    ],
  },
  {
    name: "an image without its field",
    text: declaring("  chat: { source: external_docker }"),
    problems: ["3:3 deployments.chat.source_revision_config.image_uri: is required for the source external_docker."],
  },
  {
    name: "an image and a repository",
    text: declaring(`  chat: { ${image}, source_config: { repo_url: https://github.com/acme/chat } }`),
    problems: [
      "3:73 deployments.chat.source_revision_config.image_uri: is declared together with source_config.repo_url: a deployment comes from an image or from a repository. Remove one.",
    ],
  },
  {
    name: "a field of the other source",
    text: declaring(`  chat: { ${image}, source_config: { build_on_push: true } }`),
    problems: ["3:125 deployments.chat.source_config.build_on_push: can't be set for the source external_docker."],
  },
  {
    name: "an unquoted truth value of YAML 1.1",
    text: declaring(
      "  chat: { source: github, source_config: { repo_url: https://github.com/acme/chat, build_on_push: yes }, source_revision_config: { graph_config_path: graph.json } }",
    ),
    problems: ["3:99 deployments.chat.source_config.build_on_push: must be true or false."],
  },
  {
    name: "a number in an environment",
    text: declaring(`  chat: { ${image}, env: { PORT: 8080 } }`),
    problems: ["3:106 deployments.chat.env.PORT: must be a string. Put the value in quotes."],
  },
  {
    name: "an octal in an environment",
    text: declaring(`  chat: { ${image}, env: { MODE: 0o755, UMASK: 022 } }`),
    problems: [
      "3:106 deployments.chat.env.MODE: must be a string. Put the value in quotes.",
      "3:120 deployments.chat.env.UMASK: must be a string. Put the value in quotes.",
    ],
  },
  {
    name: "a truth value and a null in an environment",
    text: declaring(`  chat: { ${image}, env: { DEBUG: true, EMPTY: } }`),
    problems: [
      "3:107 deployments.chat.env.DEBUG: must be a string. Put the value in quotes.",
      "3:113 deployments.chat.env.EMPTY: is empty. Leave it out, or give it a value.",
    ],
  },
  {
    name: "a map of secrets as a list",
    text: declaring(
      "  chat:",
      "    source: external_docker",
      "    source_revision_config: { image_uri: a }",
      "    secrets: [{ name: TOKEN, value: hunter2hunter2 }]",
    ),
    problems: ["6:5 deployments.chat.secrets: must be a map."],
  },
  {
    name: "a reserved name in an environment",
    text: declaring(`  chat: { ${image}, secrets: { LANGCHAIN_API_KEY: hunter2hunter2 } }`),
    problems: [
      "3:123 deployments.chat.secrets.LANGCHAIN_API_KEY: is reserved: the platform sets it itself. Choose another name.",
    ],
  },
  {
    name: "a name that no variable can have",
    text: declaring(`  chat: { ${image}, env: { "MY KEY": a } }`),
    problems: [
      "3:110 deployments.chat.env[…]: isn't a valid name of an environment variable (letters, digits and _, not starting with a digit).",
    ],
  },
  {
    name: "a name in env and in secrets",
    text: declaring(`  chat: { ${image}, env: { TOKEN: a }, secrets: { TOKEN: hunter2hunter2 } }`),
    problems: ["3:130 deployments.chat.secrets.TOKEN: is declared in env as well. Keep one of the two."],
  },
  {
    name: "a secret reference without its key",
    text: declaring(`  chat: { ${image}, secret_references: { TOKEN: { secret_name: agent } } }`),
    problems: ["3:114 deployments.chat.secret_references.TOKEN.secret_key: is required."],
  },
  {
    name: "a secret reference in the cloud",
    text: declaring(
      "  chat: { source: internal_docker, secret_references: { TOKEN: { secret_name: agent, secret_key: token } } }",
    ),
    problems: ["3:36 deployments.chat.secret_references: can only be set for the source external_docker."],
  },
  {
    name: "two assistants with one id",
    text: declaring(
      "  chat:",
      "    source: external_docker",
      "    source_revision_config: { image_uri: a }",
      "    assistants:",
      `      one: { graph_id: a, assistant_id: 0b5f1f3a-7a52-4c9b-9c53-0d3f4b9e1a11 }`,
      `      two: { graph_id: a, assistant_id: 0B5F1F3A-7A52-4C9B-9C53-0D3F4B9E1A11 }`,
    ),
    problems: ["8:41 deployments.chat.assistants.two.assistant_id: is that of the assistant one, too."],
  },
  {
    name: "a context beside config.configurable, of which servers keep one",
    text: declaring(
      "  chat:",
      "    source: external_docker",
      "    source_revision_config: { image_uri: a }",
      "    assistants:",
      `      one: { graph_id: a, config: { configurable: { a: 1 } }, context: { a: hunter2hunter2 } }`,
    ),
    problems: [
      "7:63 deployments.chat.assistants.one.context: is declared together with config.configurable. Keep one of the two.",
    ],
  },
  {
    name: "an item twice, and a namespace with a period",
    text: declaring(
      "  chat:",
      "    source: external_docker",
      "    source_revision_config: { image_uri: a }",
      "    store:",
      `      - { namespace: [a], key: k, value: {} }`,
      `      - { namespace: [a.b], key: k, value: {} }`,
      `      - { namespace: [a], key: k, value: { a: 1 } }`,
    ),
    problems: [
      "8:23 deployments.chat.store[1].namespace[0]: must not have periods.",
      "9:9 deployments.chat.store[2]: has the namespace and key of an item above.",
    ],
  },
  {
    name: "a branch by its full ref",
    text: declaring(
      "  chat:",
      "    source: github",
      "    source_config: { repo_url: https://github.com/acme/chat }",
      "    source_revision_config: { repo_ref: refs/heads/main, graph_config_path: graph.json }",
    ),
    problems: ['6:41 deployments.chat.source_revision_config.repo_ref: is the full ref of a branch; write "main".'],
  },
  {
    name: "a tag with build_on_push from defaults",
    text: "version: 1\ndefaults:\n  source: github\n  source_config: { repo_url: https://github.com/acme/chat, build_on_push: true }\ndeployments:\n  chat:\n    source_revision_config: { repo_ref: refs/tags/v1, graph_config_path: graph.json }\n",
    problems: [
      "4:75 defaults.source_config.build_on_push: must be false with the tag refs/tags/v1: a tag doesn't move, so no push can build it.",
    ],
  },
  {
    name: "a password in the address of a repository",
    text: declaring(
      "  chat: { source: github, source_config: { repo_url: https://me:hunter2hunter2@github.com/acme/chat }, source_revision_config: { graph_config_path: graph.json } }",
    ),
    problems: [
      "3:54 deployments.chat.source_config.repo_url: contains a user name or password, which would be stored in plain text. Leave it out: the integration has access.",
    ],
  },
  {
    name: "both names of one field",
    text: declaring(
      "  chat:",
      "    source: github",
      "    source_config: { repo_url: https://github.com/acme/chat }",
      "    source_revision_config: { graph_config_path: graph.json, langgraph_config_path: langgraph.json }",
    ),
    problems: [
      "6:62 deployments.chat.source_revision_config.langgraph_config_path: means the same as graph_config_path. Keep one of the two.",
    ],
  },
  {
    name: "numbers out of bounds in a resource spec",
    text: declaring(
      `  chat: { ${image}, source_config: { resource_spec: { cpu: 99, min_scale: 1.5, memory_mb: lots } } }`,
    ),
    problems: [
      "3:132 deployments.chat.source_config.resource_spec.cpu: must be at most 8.",
      "3:147 deployments.chat.source_config.resource_spec.min_scale: must be a whole number.",
      "3:163 deployments.chat.source_config.resource_spec.memory_mb: must be a number.",
    ],
  },
  {
    name: "an integration that is found and named",
    text: declaring(
      "  chat: { source: github, integration: auto, source_config: { integration_id: i-1, repo_url: https://github.com/acme/chat }, source_revision_config: { graph_config_path: graph.json } }",
    ),
    problems: [
      "3:27 deployments.chat.integration: is declared together with source_config.integration_id. Keep one of the two.",
    ],
  },
  {
    name: "an integration to be found without a repository",
    text: declaring(`  chat: { ${image}, integration: auto }`),
    problems: [
      "3:93 deployments.chat.integration: needs source_config.repo_url, the repository to find the integration of.",
    ],
  },
  {
    name: "an integration that isn't auto",
    text: declaring(
      "  chat: { source: github, integration: acme, source_config: { repo_url: https://github.com/acme/chat }, source_revision_config: { graph_config_path: graph.json } }",
    ),
    problems: ["3:40 deployments.chat.integration: must be auto."],
  },
  {
    name: "a dependency on nothing",
    text: declaring(`  chat: { ${image}, depends_on: [serch] }`, `  search: { ${image} }`),
    problems: ["3:106 deployments.chat.depends_on[0]: is not a deployment of this file. Did you mean search?"],
  },
  {
    name: "dependencies in a cycle",
    text: declaring(
      `  a: { ${image}, depends_on: [b] }`,
      `  b: { ${image}, depends_on: [c] }`,
      `  c: { ${image}, depends_on: [a] }`,
    ),
    problems: ["3:90 deployments.a.depends_on: is a cycle: a → b → c → a."],
  },
  {
    name: "two deployments of one name",
    text: declaring(`  chat: { ${image} }`, `  support: { ${image}, name: chat }`),
    problems: ["4:102 deployments.support.name: has the name of the deployment chat. Names are unique in a workspace."],
  },
  {
    name: "an assistant without a graph",
    text: declaring(`  chat: { ${image}, assistants: { friendly: { contxt: {} } } }`),
    problems: [
      "3:107 deployments.chat.assistants.friendly.graph_id: is required.",
      "3:119 deployments.chat.assistants.friendly.contxt: is not a known key. Did you mean context?",
    ],
  },
  {
    name: "a cron with the wrong fields",
    text: declaring(
      `  chat: { ${image}, crons: { nightly: { assistant_id: chat, end_time: tomorrow, on_run_completed: forget, stream_mode: all } } }`,
    ),
    problems: [
      "3:102 deployments.chat.crons.nightly.schedule: is required.",
      "3:143 deployments.chat.crons.nightly.end_time: must be a time, such as 2026-12-31T08:00:00Z.",
      "3:171 deployments.chat.crons.nightly.on_run_completed: must be one of delete, keep.",
      "3:192 deployments.chat.crons.nightly.stream_mode: must be one or a list of values, messages, messages-tuple, tasks, checkpoints, updates, events, debug, custom.",
    ],
  },
  {
    name: "a store item with the wrong fields",
    text: declaring(`  chat: { ${image}, store: [{ namespace: settings, key: 1, value: text, ttl: 0, index: true }] }`),
    problems: [
      "3:114 deployments.chat.store[0].namespace: must be a list.",
      "3:129 deployments.chat.store[0].key: must be a string. Put the value in quotes.",
      "3:139 deployments.chat.store[0].value: must be a map.",
      "3:150 deployments.chat.store[0].ttl: must be more than 0.",
      "3:160 deployments.chat.store[0].index: must be false or a list of paths.",
    ],
  },
  {
    name: "previews without a number in their names",
    text: declaring(
      `  chat: { ${image} }`,
      `  search: { ${image} }`,
      "previews: { name: preview, environment: stagin, deployments: [chat, serch] }",
      "environments: { staging: {} }",
    ),
    problems: [
      "5:19 previews.name: must have {number} in it: each pull request has previews of its own.",
      "5:19 previews.name: must have {name} in it, since several deployments have previews.",
      "5:41 previews.environment: is not an environment of this file. Did you mean staging?",
      "5:69 previews.deployments[1]: is not a deployment of this file. Did you mean search?",
    ],
  },
  {
    name: "mistakes in an environment that isn't chosen",
    text: declaring(
      `  chat: { ${image} }`,
      "environments:",
      "  staging:",
      "    deployment: {}",
      "    defaults: { env: { PORT: 1 } }",
      "    deployments: { chat: { source_config: { repo_ulr: a } } }",
    ),
    problems: [
      "6:5 environments.staging.deployment: is not a known key. Did you mean deployments?",
      "7:30 environments.staging.defaults.env.PORT: must be a string. Put the value in quotes.",
      "8:45 environments.staging.deployments.chat.source_config.repo_ulr: is not a known key. Did you mean repo_url?",
    ],
  },
  {
    name: "an unknown environment",
    text: declaring(`  chat: { ${image} }`, "environments:", "  production: {}"),
    problems: ["4:1 environments: has no prodution. Did you mean production?"],
    environment: "prodution",
  },
  {
    name: "an environment in a file without any",
    text: declaring(`  chat: { ${image} }`),
    problems: ["1:1 environments: has no production: this file has no environments."],
    environment: "production",
  },
  {
    name: "a variable that isn't set",
    text: declaring(
      `  chat: { source: external_docker, source_revision_config: { image_uri: 'registry/agent:\${TAGG}' } }`,
    ),
    problems: [
      "3:73 deployments.chat.source_revision_config.image_uri: needs the environment variable TAGG, which isn't set. Did you mean TAG?",
    ],
    env: { TAG: "1" },
  },
  {
    name: "several variables in one value that aren't set",
    text: declaring(`  chat: { ${image}, env: { A: "\${B}-\${C}" } }`),
    problems: [
      "3:103 deployments.chat.env.A: needs the environment variable B, which isn't set.",
      "3:103 deployments.chat.env.A: needs the environment variable C, which isn't set.",
    ],
  },
  {
    name: "a variable without quotes in a map of one line",
    text: declaring(`  chat: { env: { A: \${TOKEN} } }`),
    problems: [`3:22 can't be here. Check indentation and quotes: inside of { } and [ ], \${…} needs quotes, too.`],
  },
  {
    name: "a secret that looks like an alias",
    text: declaring(`  chat: { ${image}, secrets: { TOKEN: *hunter2hunter2 } }`),
    problems: [
      "3:111 deployments.chat.secrets.TOKEN: is an alias without an anchor above. Put a string that begins with * in quotes.",
    ],
  },
  {
    name: "what can't be filled in",
    text: declaring(`  chat: { ${image}, env: { A: '\${', B: '\${A B}', C: '\${A:-\${B}}', D: '\${file:none.txt}' } }`),
    problems: [
      `3:103 deployments.chat.env.A: has an unclosed \${, or braces inside of it. Write $$ for a dollar sign.`,
      `3:112 deployments.chat.env.B: has a \${…} that is neither \${NAME}, \${NAME:-default} nor \${file:path}. Write $$ for a dollar sign.`,
      `3:125 deployments.chat.env.C: has an unclosed \${, or braces inside of it. Write $$ for a dollar sign.`,
      "3:142 deployments.chat.env.D: needs the file none.txt, which doesn't exist.",
    ],
  },
  {
    name: "a null outside of environments",
    text: `version: 1\ndefaults: { env: }\ndeployments:\n  chat: { ${image}, env: { A: null } }\n`,
    problems: [
      "2:13 defaults.env: is empty. Leave it out, or write {} for an empty map.",
      "4:100 deployments.chat.env.A: is empty. Leave it out, or give it a value.",
    ],
  },
  {
    name: "invalid YAML: a tab",
    text: declaring("\tchat: {}"),
    problems: ["3:1 is indented with a tab. YAML takes spaces only."],
  },
  {
    name: "invalid YAML: a colon in a text",
    text: declaring("  chat: { display_name: a: b }", "  x: a: hunter2hunter2"),
    problems: ["3:25 has a second colon inside of { } or [ ]. Put a string with a colon in quotes."],
  },
  {
    name: "invalid YAML: an open quote",
    text: declaring("  chat: { env: { A: 'hunter2hunter2 } }"),
    problems: ["3:21 opens a quote or bracket that is never closed."],
  },
  {
    name: "invalid YAML: an open bracket, with lines below it",
    text: declaring("  chat:", "    depends_on: [search, other", "    display_name: Chat"),
    problems: ["4:17 opens a quote or bracket that is never closed."],
  },
  {
    name: "invalid YAML: a bracket that is closed by another one",
    text: declaring("  chat: { depends_on: [search }"),
    problems: ["3:23 opens a quote or bracket that is never closed."],
  },
  {
    name: "invalid YAML: a key without a colon",
    text: declaring("  chat: {}", "  search"),
    problems: ["4:3 lacks the colon after a key, or the comma between two items."],
  },
  {
    name: "invalid JSON: an open bracket",
    text: '{\n  "version": 1,\n  "deployments": {\n    "chat": {}\n}\n',
    problems: ["1:1 opens a quote or bracket that is never closed."],
    path: "graphdeploy.json",
  },
  {
    name: "invalid YAML: a reserved character",
    text: declaring("  chat: @hunter2hunter2"),
    problems: ["3:9 begins with a character that YAML reserves. Put the string in quotes."],
  },
  {
    name: "invalid YAML: bad indentation",
    text: declaring("  chat:", "    source: github", "   env: {}"),
    problems: ["5:1 is indented differently from what it belongs to."],
  },
  {
    name: "invalid JSON",
    text: '{\n  "version": 1,\n  "deployments": { "chat": { "env": { "A": hunter2hunter2 } } }\n}\n',
    problems: ["3:44 is not valid JSON."],
    path: "graphdeploy.json",
  },
  {
    name: "JSON with a comma too many",
    text: '{\n  "version": 1,\n  "deployments": {},\n}\n',
    problems: ["4:1 is not valid JSON."],
    path: "graphdeploy.json",
  },
  {
    name: "JSON with a misspelt key",
    text: '{\n\t"version": 1,\n\t"deploymnts": {}\n}\n',
    problems: ["3:2 deploymnts: is not a known key. Did you mean deployments?"],
    path: "graphdeploy.json",
  },
];

test.each(brokenFiles)("$name", ({ text, problems, name: _, ...options }) => {
  const file = read(text, options);
  expect(shownProblems(file)).toEqual(problems);
  expect(file.deployments).toEqual([]);
});

test("no message has a secret of these files in it", () => {
  expect(brokenFiles.length).toBeGreaterThanOrEqual(40);
  expect(brokenFiles.filter(({ text }) => text.includes("hunter2")).length).toBeGreaterThan(5);
  expect(brokenFiles.flatMap(({ problems }) => problems).join("\n")).not.toContain("hunter2");
});
