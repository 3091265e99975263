import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface FakeComment {
  id: number;
  body: string;
  user: { login: string; type: "Bot" | "User" };
}

export interface FakeDeployment {
  id: number;
  environment: string;
  ref: string;
  transient: boolean;
  description: string;
  payload: unknown;
  /** Its statuses, with their addresses. */
  states: { state: string; environment_url?: string; log_url?: string; description?: string }[];
}

export interface RecordedCall {
  method: string;
  path: string;
  body: string;
  authorization: string | undefined;
}

/** What a token may lack. */
export type Permission = "deployments" | "comments" | "pulls" | "metadata";

/** A loopback server with the parts of GitHub's API that the Action uses. It records what is written to it. */
export class FakeGitHub implements AsyncDisposable {
  readonly calls: RecordedCall[] = [];
  readonly comments = new Map<number, FakeComment[]>();
  readonly deployments: FakeDeployment[] = [];
  readonly closedPullRequests = new Set<number>();
  /** Pull requests by number: `head` and `base`, as the API returns them. */
  readonly pullRequests = new Map<number, Record<string, unknown>>();
  /** Permissions in the repository by login; everybody else may only read, as in a public one. */
  readonly permissions = new Map([["octocat", "write"]]);
  readonly refused = new Set<Permission>();
  /** Responses that override the server's own, each for one request. */
  readonly limits: { path: string; response: GitHubResponse }[] = [];
  /** The login of a personal token; a workflow's token may not query it. */
  login: string | undefined;
  /** The login of an app's token, as GraphQL names it; `undefined` where it may not query that either. */
  viewer: string | undefined;
  /** Called before each response. */
  onCall: (call: RecordedCall) => void | Promise<void> = () => {};
  readonly #server: Server;
  #nextId = 1000;
  url = "";
  /** The prefix of all paths, as on a GitHub Enterprise Server. */
  prefix = "";

  private constructor() {
    this.#server = createServer((request, response) => void this.#respond(request, response));
  }

  static async start(): Promise<FakeGitHub> {
    const github = new FakeGitHub();
    await new Promise<void>((resolve) => github.#server.listen(0, "127.0.0.1", resolve));
    github.url = `http://127.0.0.1:${(github.#server.address() as AddressInfo).port}`;
    return github;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  /** Adds a comment by somebody, and returns it. */
  addComment(issue: number, body: string, user: FakeComment["user"] = { login: "octocat", type: "User" }): FakeComment {
    const comment = { id: this.#nextId++, body, user };
    this.comments.set(issue, [...(this.comments.get(issue) ?? []), comment]);
    return comment;
  }

  /** Adds a deployment of an earlier run, and returns it. */
  addDeployment(left: Partial<FakeDeployment>): FakeDeployment {
    const id = this.#nextId++;
    const made = { environment: "production", ref: "main", transient: false, description: "", payload: {}, states: [] };
    const deployment: FakeDeployment = { ...made, ...left, id };
    this.deployments.push(deployment);
    return deployment;
  }

  /** Everything that was ever written, to search for what must not be there. */
  written(): string {
    return this.calls.map(({ body }) => body).join("\n");
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += chunk;
    const url = new URL(request.url ?? "/", this.url);
    const call: RecordedCall = {
      method: request.method ?? "",
      path: url.pathname.replace(this.prefix, ""),
      body,
      authorization: request.headers.authorization,
    };
    this.calls.push(call);
    await this.onCall(call);
    const limit = this.limits.findIndex((entry) => call.path.includes(entry.path));
    const limited = limit < 0 ? undefined : this.limits.splice(limit, 1)[0]?.response;
    const { status, json, headers } = limited ?? this.#route(call, url, body === "" ? {} : JSON.parse(body));
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(json === undefined ? "" : JSON.stringify(json));
  }

  #route({ method, path }: RecordedCall, url: URL, body: Record<string, unknown>): GitHubResponse {
    const [, kind = "", id = "", tail = ""] = /^\/repos\/acme\/agents\/(\w+)\/?([^/]*)\/?(.*)$/.exec(path) ?? [];
    const refusal: GitHubResponse = { status: 403, json: { message: "Resource not accessible by integration" } };
    if (path === "/user") return this.login === undefined ? refusal : { status: 200, json: { login: this.login } };
    if (path === "/graphql") {
      return this.viewer === undefined ? refusal : { status: 200, json: { data: { viewer: { login: this.viewer } } } };
    }
    if (kind === "pulls" && method === "GET") {
      if (this.refused.has("pulls")) return refusal;
      const number = Number(id);
      const state = this.closedPullRequests.has(number) ? "closed" : "open";
      return { status: 200, json: { ...this.pullRequests.get(number), number, state } };
    }
    if (kind === "collaborators" && tail === "permission") {
      if (this.refused.has("metadata")) return refusal;
      return { status: 200, json: { permission: this.permissions.get(decodeURIComponent(id)) ?? "read" } };
    }
    if (kind === "issues") return this.refused.has("comments") ? refusal : this.#comments(method, id, tail, url, body);
    if (kind === "deployments")
      return this.refused.has("deployments") ? refusal : this.#deployments(method, id, url, body);
    return { status: 404, json: { message: "Not Found" } };
  }

  #comments(method: string, id: string, tail: string, url: URL, body: Record<string, unknown>): GitHubResponse {
    if (method === "POST") {
      return { status: 201, json: this.addComment(Number(id), String(body.body), this.#author()) };
    }
    if (method === "PATCH") {
      const comment = [...this.comments.values()].flat().find((entry) => entry.id === Number(tail));
      if (comment === undefined) return { status: 404, json: { message: "Not Found" } };
      comment.body = String(body.body);
      return { status: 200, json: comment };
    }
    const all = this.comments.get(Number(id)) ?? [];
    const size = Number(url.searchParams.get("per_page") ?? 30);
    const page = Number(url.searchParams.get("page") ?? 1);
    const next = new URL(url);
    next.searchParams.set("page", String(page + 1));
    const headers: Record<string, string> = page * size < all.length ? { link: `<${next}>; rel="next"` } : {};
    return { status: 200, json: all.slice((page - 1) * size, page * size), headers };
  }

  #deployments(method: string, id: string, url: URL, body: Record<string, unknown>): GitHubResponse {
    if (method === "GET" && id !== "") {
      const statuses = this.deployments.find((entry) => entry.id === Number(id))?.states.toReversed();
      if (statuses === undefined) return { status: 404, json: { message: "Not Found" } };
      return { status: 200, json: statuses.slice(0, Number(url.searchParams.get("per_page") ?? 30)) };
    }
    if (method === "GET") {
      const environment = url.searchParams.get("environment");
      return { status: 200, json: this.deployments.filter((entry) => entry.environment === environment).toReversed() };
    }
    if (id === "") {
      const { environment, ref, transient_environment: transient, description, payload } = body;
      const made = this.addDeployment({
        environment: String(environment),
        ref: String(ref),
        transient: transient === true,
        description: String(description),
        payload,
        states: [],
      });
      return { status: 201, json: made };
    }
    const deployment = this.deployments.find((entry) => entry.id === Number(id));
    if (deployment === undefined) return { status: 404, json: { message: "Not Found" } };
    deployment.states.push(body as FakeDeployment["states"][number]);
    return { status: 201, json: { id: this.#nextId++, ...body } };
  }

  #author(): FakeComment["user"] {
    return this.login === undefined
      ? { login: "github-actions[bot]", type: "Bot" }
      : { login: this.login, type: "User" };
  }
}

export interface GitHubResponse {
  status: number;
  json?: unknown;
  headers?: Record<string, string>;
}
