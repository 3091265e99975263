import type { Page } from "puppeteer-core";
import { expect, test } from "vitest";
import { openPage, skipReason } from "../../kit/browser/browser.ts";
import type { Api } from "../../kit/mock-server/api.ts";
import { startForTest } from "../../kit/mock-server/api.ts";

const alice = { provider: "built-in", scopes: ["read", "write"], user_id: "alice" };

async function startWithProvider() {
  const mock = await startForTest();
  const { mcp_server_url: _, ...client } = (await mock.cloud("GET", "/_mock/info")).body.oauth;
  const body = { provider_id: "built-in", name: "The <built-in> provider", uses_pkce: true, ...client };
  const { status } = await mock.cloud("POST", "/v2/auth/providers", body);
  if (status !== 200) throw new Error(`The create of the provider failed with ${status}.`);
  return mock;
}

async function begin(api: Api): Promise<{ url: string; auth_id: string }> {
  const { body } = await api("POST", "/v2/auth/authenticate", alice);
  expect(body.status).toBe("pending");
  return body;
}

async function press(page: Page, decision: "allow" | "deny"): Promise<number | undefined> {
  const [response] = await Promise.all([page.waitForNavigation(), page.click(`button[value=${decision}]`)]);
  return response?.status();
}

const textOf = (page: Page) => page.evaluate("document.body.innerText") as Promise<string>;

test.skipIf(skipReason)(
  `a user allows access in a browser, and the waiting request gets the token${skipReason}`,
  async () => {
    await using mock = await startWithProvider();
    await using browser = await openPage();
    const { page } = browser;
    const { url, auth_id: id } = await begin(mock.cloud);
    const waiting = mock.cloud("GET", `/v2/auth/wait/${id}?timeout=30`);

    await page.goto(url);
    expect(await textOf(page)).toContain("requests access to: read write");
    await page.$eval("input[name=subject]", (input) => {
      input.value = "alice@example.com";
    });
    expect(await press(page, "allow")).toBe(200);
    expect(new URL(page.url()).pathname).toBe("/v2/auth/callback/built-in");
    expect(await textOf(page)).toContain("You are connected to The <built-in> provider.");

    const { body: waited } = await waiting;
    expect(waited).toMatchObject({ status: "completed", token: expect.any(String) });
    const { body: again } = await mock.cloud("POST", "/v2/auth/authenticate", alice);
    expect(again).toMatchObject({ status: "completed", token: waited.token });
    expect(browser.elsewhere).toEqual([]);
  },
);

test.skipIf(skipReason)(`a user denies access in a browser, and nobody gets a token${skipReason}`, async () => {
  await using mock = await startWithProvider();
  await using browser = await openPage();
  const { url, auth_id: id } = await begin(mock.cloud);
  await browser.page.goto(url);
  expect(await press(browser.page, "deny")).toBe(400);
  expect(await textOf(browser.page)).toContain("denied");
  expect((await mock.cloud("GET", `/v2/auth/wait/${id}?timeout=0`)).body.status).toBe("not_found");
  expect((await begin(mock.cloud)).auth_id).not.toBe(id);
});

test.skipIf(skipReason)(
  `a browser that returns with a forged state shows why the account isn't connected${skipReason}`,
  async () => {
    await using mock = await startWithProvider();
    await using browser = await openPage();
    const { url, auth_id: id } = await begin(mock.cloud);
    const forged = new URL(url);
    forged.searchParams.set("state", `${id}.${"A".repeat(43)}`);
    await browser.page.goto(forged.href);
    expect(await press(browser.page, "allow")).toBe(400);
    expect(await textOf(browser.page)).toContain("isn't signed by this server");
    expect((await mock.cloud("GET", `/v2/auth/wait/${id}?timeout=0`)).body.status).toBe("timeout");
  },
);

test.skipIf(skipReason)(`a user who takes too long must start again${skipReason}`, async () => {
  await using mock = await startWithProvider();
  await using browser = await openPage();
  const { url } = await begin(mock.cloud);
  await browser.page.goto(url);
  mock.clock.advance("11m");
  expect(await press(browser.page, "allow")).toBe(400);
  expect(await textOf(browser.page)).toContain("start again");
});

test.skipIf(skipReason)(`allowing access again after going back is reported as already used${skipReason}`, async () => {
  await using mock = await startWithProvider();
  await using browser = await openPage();
  const { url } = await begin(mock.cloud);
  await browser.page.goto(url);
  expect(await press(browser.page, "allow")).toBe(200);
  await browser.page.goto(url);
  expect(await press(browser.page, "allow")).toBe(400);
  expect(await textOf(browser.page)).toContain("used already");
});

test.skipIf(skipReason)(
  `the setup page handles an installation like a callback, and only confirms an update${skipReason}`,
  async () => {
    await using mock = await startWithProvider();
    await using browser = await openPage();
    const { page } = browser;
    await page.goto(`${mock.url}/v2/auth/setup/built-in?setup_action=update&installation_id=7`);
    expect(await textOf(page)).toContain("The installation was changed.");

    await page.goto((await begin(mock.cloud)).url);
    await page.setRequestInterception(true);
    page.on("request", (request) => {
      const target = request.url().replace("/v2/auth/callback/", "/v2/auth/setup/");
      if (target === request.url()) void request.continue();
      else
        void request.respond({
          status: 302,
          headers: { location: `${target}&setup_action=install&installation_id=7` },
        });
    });
    expect(await press(page, "allow")).toBe(200);
    expect(new URL(page.url()).pathname).toBe("/v2/auth/setup/built-in");
    expect(await textOf(page)).toContain("You are connected");
  },
);

test.skipIf(skipReason)(`a provider's error description can't run a script in the browser${skipReason}`, async () => {
  await using mock = await startWithProvider();
  await using browser = await openPage();
  const { page } = browser;
  const { url } = await begin(mock.cloud);
  const state = new URL(url).searchParams.get("state") as string;
  const query = new URLSearchParams({ state, error: "x", error_description: "<script>document.title='run'</script>" });
  await page.goto(`${mock.url}/v2/auth/callback/built-in?${query}`);
  expect(await page.title()).toBe("Not connected");
  expect(await textOf(page)).toContain("<script>document.title='run'</script>");
});
