import { expect, test } from "vitest";
import { timeline } from "../../../action/github/report-markdown.ts";

test.each(["section X", "title", "click here", "GANTT", "2026-01-01", "::", "end", "dateFormat YYYY"])(
  "a status %j begins no line of the timeline",
  (status) => {
    const steps = [
      { status, startedAtMs: 0, durationMs: 1 },
      { status: "DEPLOYED", startedAtMs: 1, durationMs: 0 },
    ];
    const text = timeline({ task: "deploy a", name: "a", isPreview: false, steps, logTail: [], runUrl: "" });
    expect(text.split("\n")[5]).toMatch(/^ {2}Status \w[\w ]* :active, 0, 1$/);
    expect(text.split("\n")[6]).toBe("  DEPLOYED :done, 1, 2");
  },
);
