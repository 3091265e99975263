import { expect, test } from "vitest";
import { Redaction } from "../../../mock-server/kit/redaction.ts";
import { githubBody, startForTest } from "../../kit/mock-server/api.ts";

test("upload addresses are redacted without being remembered one by one", async () => {
  const remember = Redaction.prototype.remember;
  const remembered: string[] = [];
  Redaction.prototype.remember = function (value) {
    remembered.push(value);
    return remember.call(this, value);
  };
  try {
    await using mock = await startForTest();
    const upload = { source: "internal_source", source_config: {}, source_revision_config: {} };
    const { body } = await mock.cloud("POST", "/v2/deployments", githubBody(upload));
    const { upload_url: url } = (await mock.cloud("POST", `/v2/deployments/${body.id}/upload-url`)).body;
    const signature = new URL(url).searchParams.get("signature") ?? "";
    expect(signature.length).toBeGreaterThan(20);
    await fetch(url, { method: "PUT", body: "not a tarball" });

    expect(remembered).not.toContain(signature);
    const { body: journal } = await mock.cloud("GET", "/_mock/requests");
    expect(JSON.stringify(journal)).not.toContain(signature);
    expect(journal.requests.at(-1).path).toMatch(/&signature=\[redacted\]$/);
    expect(journal.requests.at(-2).response.body.upload_url).toMatch(/&signature=\[redacted\]$/);
  } finally {
    Redaction.prototype.remember = remember;
  }
});
