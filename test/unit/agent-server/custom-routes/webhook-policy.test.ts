import { expect, test } from "vitest";
import {
  defaultProjectSettings,
  type WebhookUrlPolicy,
} from "../../../../mock-server/agent-server/project-settings.ts";
import { addressProblem, webhookProblem } from "../../../../mock-server/agent-server/runs/webhook-policy.ts";

const policyOf = (changes: Partial<WebhookUrlPolicy>): WebhookUrlPolicy => ({
  ...defaultProjectSettings.webhooks.urls,
  ...changes,
});

test.each<[Partial<WebhookUrlPolicy>, string, string]>([
  [{ refusesLoopback: true }, "/hook", "Paths of the app are refused"],
  [{ refusesLoopback: true }, "http://localhost:1/x", "localhost is this machine"],
  [{ requiresHttps: true }, "http://a.example/x", "must begin with https://"],
  [{ domains: ["*.example.com"] }, "http://example.org/x", "example.org isn't allowed"],
  [{ domains: ["*.example.com"] }, "http://example.com/x", "example.com isn't allowed"],
  [{ domains: ["*.example.com"] }, "http://badexample.com/x", "badexample.com isn't allowed"],
  [{ ports: [443] }, "http://a.example:8080/x", "Port 8080 isn't allowed"],
  [{ ports: [443] }, "http://a.example/x", "Port 80 isn't allowed"],
  [{ maxLength: 20 }, "http://a.example/a/long/one", "more than 20 characters"],
])("the policy %j forbids %s", (changes, url, problem) => {
  expect(webhookProblem(url, policyOf(changes))).toContain(problem);
});

test.each<[Partial<WebhookUrlPolicy>, string]>([
  [{}, "/hook"],
  [{}, "http://localhost/x"],
  [{ requiresHttps: true }, "https://a.example/x"],
  [{ requiresHttps: true }, "/hook"],
  [{ domains: ["*.example.com", "example.com"] }, "http://EXAMPLE.com/x"],
  [{ domains: ["*.example.com"] }, "https://a.b.example.com/x"],
  [{ ports: [443, 8080] }, "https://a.example/x"],
  [{ ports: [443, 8080] }, "http://a.example:8080/x"],
])("the policy %j permits %s", (changes, url) => {
  expect(webhookProblem(url, policyOf(changes))).toBeUndefined();
});

test("the addresses of this machine and of private networks are refused on request", () => {
  for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "0.0.0.0", "::"]) {
    expect(addressProblem(address, policyOf({ refusesLoopback: true }))).toContain("this machine");
    expect(addressProblem(address, policyOf({ refusesPrivateAddresses: true }))).toBeUndefined();
  }
  for (const address of [
    "10.0.0.1",
    "172.31.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.169.254",
    "fd00::1",
    "fe80::1",
  ]) {
    expect(addressProblem(address, policyOf({ refusesPrivateAddresses: true }))).toContain("private network");
    expect(addressProblem(address, policyOf({}))).toBeUndefined();
  }
  expect(
    addressProblem("192.0.2.1", policyOf({ refusesLoopback: true, refusesPrivateAddresses: true })),
  ).toBeUndefined();
});
