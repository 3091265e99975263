import { expect, test } from "vitest";
import { targetOf } from "../../../action/event-target.ts";
import { someEvent } from "../../kit/action/events.ts";

const decide = (action: string) =>
  targetOf(someEvent({ name: "release", payload: { action, release: { tag_name: "v2" } } }), {
    operation: "auto",
    needsRef: true,
  });

test.each(["deleted", "unpublished", "created", "edited", "prereleased", "released"])(
  "a release that was %s is not deployed",
  (action) => {
    expect(decide(action)).toMatchObject({ kind: "skip" });
  },
);

test("a release that was published is deployed", () => {
  expect(decide("published")).toMatchObject({ kind: "deploy", source: { ref: "refs/tags/v2" } });
});
