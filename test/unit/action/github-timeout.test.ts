import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as core from "@actions/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { Console } from "../../../action/console.ts";
import { connectToGitHub } from "../../../action/github/client.ts";
import { isPullRequestOpen } from "../../../action/github/pull-requests.ts";
import { Redactor } from "../../../core/redact.ts";
import { someEvent } from "../../kit/action/events.ts";

test("a request without a response from GitHub ends when the run is cancelled", async () => {
  const cancel = new AbortController();
  const server = createServer(() => cancel.abort(new Error("Cancelled.")));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const console = new Console(new Redactor(), core);
  const warning = vi.spyOn(console, "warning").mockReturnValue();
  const github = connectToGitHub("token-of-the-test", someEvent({ apiUrl }), console, cancel.signal);
  expect(github && (await isPullRequestOpen(github, 12))).toBeUndefined();
  expect(warning).toHaveBeenCalledWith(expect.stringContaining("failed and was left out"));
});
