import { expect, test } from "vitest";
import { inputDefaults } from "../../../action/input-defaults.ts";
import { readInputs } from "../../../action/inputs.ts";
import { someEvent } from "../../kit/action/events.ts";

test.each(["../other/graph.json", "agents/../../graph.json", "/etc/graph.json"])(
  "the configuration file %s is refused",
  (path) => {
    const given: Record<string, string> = {
      ...inputDefaults,
      name: "support-agent",
      "api-key": "key-of-the-test",
      "graph-config-path": path,
    };
    const { problems } = readInputs({
      get: (name) => given[name] ?? "",
      env: {},
      event: someEvent({}),
      keepSecret: () => {},
    });
    expect(problems).toEqual([{ input: "graph-config-path", message: "is not a file inside the repository." }]);
  },
);
