import { type Api, githubBody } from "../../../kit/mock-server/api.ts";
import { Possible } from "../../../kit/mock-server/crash/possible.ts";

/** The parts of a deployment that a lane changes. */
interface Deployed {
  ref: string;
  /** How many there are. */
  revisions: number;
}

/** Where a lane sends its requests. */
export interface Target {
  controlPlane: Api;
  /** The agent server of the deployment that all lanes share. */
  agent: Api;
  /** A random integer from 0 to `count` - 1. */
  below(count: number): number;
}

/** A client that changes its own objects, one request after another, and remembers what the server has acknowledged. */
export class Lane {
  readonly #name: string;
  readonly #deployments = new Map<string, Possible<Deployed>>();
  readonly #items = new Map<string, Possible<number>>();
  readonly #thread = new Possible<{ version: number }>();
  /** The acknowledged runs of the thread. */
  readonly #runs = new Set<string>();
  readonly #threadId: string;
  #count = 0;

  constructor(number: number) {
    this.#name = `lane-${number}`;
    this.#threadId = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
  }

  /** Writes until the server dies. */
  async write(target: Target): Promise<void> {
    for (;;) {
      const changes = [
        this.#deploy,
        this.#redeploy,
        this.#remove,
        this.#put,
        this.#put,
        this.#patch,
        this.#run,
        this.#update,
      ];
      const change = changes[target.below(changes.length)] as (target: Target) => Promise<void>;
      try {
        await change.call(this, target);
      } catch (error) {
        // The connection was cut, so the outcome isn't known.
        if (error instanceof TypeError) return;
        throw error;
      }
    }
  }

  async #deploy({ controlPlane, below }: Target): Promise<void> {
    const name = `${this.#name}-${below(3)}`;
    const deployment = entry(this.#deployments, name);
    if (deployment.known) return;
    const made = { ref: "main", revisions: 1 };
    deployment.begin(made);
    expectStatus(await controlPlane("POST", "/v2/deployments", githubBody({ name })), 201);
    deployment.acknowledge(made);
  }

  async #redeploy({ controlPlane, below }: Target): Promise<void> {
    const [name, deployment] = this.#existing(below) ?? [];
    if (name === undefined || !deployment?.known) return;
    const { id } = await found(controlPlane, name);
    const changed = { ref: `release-${this.#count++}`, revisions: deployment.known.revisions + 1 };
    deployment.begin(changed);
    const body = { source_revision_config: { repo_ref: changed.ref } };
    expectStatus(await controlPlane("PATCH", `/v2/deployments/${id}`, body), 200);
    deployment.acknowledge(changed);
  }

  async #remove({ controlPlane, below }: Target): Promise<void> {
    const [name, deployment] = this.#existing(below) ?? [];
    if (name === undefined || !deployment) return;
    const { id } = await found(controlPlane, name);
    deployment.begin(undefined);
    expectStatus(await controlPlane("DELETE", `/v2/deployments/${id}`), 204);
    deployment.acknowledge(undefined);
  }

  #existing(below: Target["below"]) {
    const existing = [...this.#deployments].filter(([, { known }]) => known !== undefined);
    return existing[below(existing.length || 1)];
  }

  async #put({ agent, below }: Target): Promise<void> {
    const key = `key-${below(5)}`;
    const item = entry(this.#items, key);
    const value = item.known !== undefined && below(4) === 0 ? undefined : this.#count++;
    item.begin(value);
    const place = { namespace: [this.#name], key };
    if (value === undefined) expectStatus(await agent("DELETE", "/store/items", place), 204);
    else expectStatus(await agent("PUT", "/store/items", { ...place, value: { value } }), 204);
    item.acknowledge(value);
  }

  async #patch({ agent }: Target): Promise<void> {
    const version = this.#count++;
    this.#thread.begin({ version });
    const metadata = { version };
    if (this.#thread.known) {
      expectStatus(await agent("PATCH", `/threads/${this.#threadId}`, { metadata }), 200);
    } else expectStatus(await agent("POST", "/threads", { thread_id: this.#threadId, metadata }), 200);
    this.#thread.acknowledge({ version });
  }

  async #run({ agent, below }: Target): Promise<void> {
    if (!this.#thread.known) return;
    const input = { messages: [{ role: "user", content: `message ${this.#count++}` }] };
    const body = { assistant_id: "chat", input, multitask_strategy: "enqueue", stream_resumable: below(2) === 0 };
    const run = await agent("POST", `/threads/${this.#threadId}/runs`, body);
    expectStatus(run, 200);
    this.#runs.add(run.body.run_id);
  }

  async #update({ agent }: Target): Promise<void> {
    if (this.#runs.size === 0) return;
    const values = { messages: [{ role: "user", content: `update ${this.#count++}` }] };
    const { status, body } = await agent("POST", `/threads/${this.#threadId}/state`, { values, as_node: "__input__" });
    if (status !== 409) expectStatus({ status, body }, 200);
  }

  /** Describes what exists but can't, and what is missing but must exist. Collects all ids. */
  async check({ controlPlane, agent }: Target, ids: Map<string, string>): Promise<string[]> {
    const problems: string[] = [];
    for (const [name, deployment] of this.#deployments) {
      const expected = String(deployment);
      const record = await found(controlPlane, name);
      let state: Deployed | undefined;
      if (record) {
        const path = `/v2/deployments/${record.id}/revisions`;
        const revisions: { id: string }[] = (await controlPlane("GET", `${path}?limit=100`)).body.resources;
        state = { ref: record.source_revision_config.repo_ref, revisions: revisions.length };
        if (!revisions.some(({ id }) => id === record.latest_revision_id)) {
          problems.push(`${name} has no revision ${record.latest_revision_id}`);
        }
        note(ids, record.id, `deployment ${name}`, problems);
        for (const { id } of revisions) note(ids, id, `a revision of ${record.id}`, problems);
      }
      if (!deployment.settle(state)) problems.push(`${name} is ${JSON.stringify(state)}, not ${expected}`);
    }
    for (const [key, item] of this.#items) {
      const expected = String(item);
      const response = await agent("GET", `/store/items?namespace=${this.#name}&key=${key}`);
      const value = response.status === 404 ? undefined : response.body?.value?.value;
      if (!item.settle(value)) problems.push(`${this.#name}/${key} is ${value}, not ${expected}`);
    }
    problems.push(...(await this.#checkThread(agent, ids)));
    return problems;
  }

  async #checkThread(agent: Api, ids: Map<string, string>): Promise<string[]> {
    const problems: string[] = [];
    const path = `/threads/${this.#threadId}`;
    const expected = String(this.#thread);
    const { status, body: thread } = await agent("GET", path);
    const version = status === 404 ? undefined : { version: thread.metadata.version };
    if (!this.#thread.settle(version)) problems.push(`${path} has ${JSON.stringify(version)}, not ${expected}`);
    if (status === 404) return problems;
    const { body: runs } = await agent("GET", `${path}/runs?limit=1000`);
    const known = new Map<string, string>(runs.map((run: Record<string, string>) => [run.run_id, run.status]));
    for (const id of this.#runs) if (!known.has(id)) problems.push(`the run ${id} of ${path} is lost`);
    for (const [id] of known) note(ids, id, `a run of ${path}`, problems);
    const { body: state } = await agent("GET", `${path}/state`);
    const values = JSON.stringify(thread.values ?? {});
    const isBusy = [...known.values()].some((run) => run === "pending" || run === "running");
    if (!isBusy && JSON.stringify(state.values) !== values) {
      problems.push(`${path} has the values ${values}, and its state ${JSON.stringify(state.values)}`);
    }
    return problems;
  }

  /** Whether all runs have ended. */
  async hasSettled({ agent }: Target): Promise<boolean> {
    if (!this.#thread.known) return true;
    const { status, body } = await agent("GET", `/threads/${this.#threadId}/runs?limit=1000`);
    return status === 404 || body.every((run: { status: string }) => !/pending|running/.test(run.status));
  }
}

function entry<State>(entries: Map<string, Possible<State>>, key: string): Possible<State> {
  let known = entries.get(key);
  if (!known) {
    known = new Possible();
    entries.set(key, known);
  }
  return known;
}

async function found(controlPlane: Api, name: string) {
  const { body } = await controlPlane("GET", `/v2/deployments?name=${name}`);
  return body.resources[0];
}

function note(ids: Map<string, string>, id: string, owner: string, problems: string[]): void {
  const other = ids.get(id);
  if (other !== undefined && other !== owner) problems.push(`${id} is both ${other} and ${owner}`);
  ids.set(id, owner);
}

function expectStatus({ status, body }: { status: number; body: unknown }, expected: number): void {
  if (status !== expected) throw new Error(`${expected} was expected, and ${status} came: ${JSON.stringify(body)}`);
}
