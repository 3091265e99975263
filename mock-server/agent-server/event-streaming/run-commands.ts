import type { z } from "zod";
import type { Fields } from "../engine/contract.ts";
import type { Permitted, ProtocolHost } from "../protocol-host.ts";
import { startRun } from "../runs/run-access.ts";
import { type RunStart, runCreateStateful } from "../runs/run-schemas.ts";
import { readThread } from "../threads/thread-access.ts";
import { CommandError } from "./command-error.ts";
import type { inputRespond, runStart, stateFork } from "./command-schemas.ts";

const start = { access: startRun, body: { schema: runCreateStateful, required: true } };
const read = { access: readThread };

/** `run.start` */
export async function startRunOn(
  host: ProtocolHost,
  threadId: string,
  { multitaskStrategy, multitask_strategy = multitaskStrategy, ...params }: z.output<typeof runStart>,
): Promise<Fields> {
  const { services, body } = await permitted(host, threadId, { ...params, multitask_strategy });
  return { run_id: await services.eventStreaming.start(threadId, body, host.context.headers) };
}

/** `input.respond` */
export async function respond(
  host: ProtocolHost,
  threadId: string,
  { update, goto, config, metadata, ...answers }: z.output<typeof inputRespond>,
): Promise<Fields> {
  const given = "responses" in answers ? answers.responses : [answers];
  const resume = Object.fromEntries(given.map(({ interrupt_id: id, response }) => [id, response ?? null]));
  const assistant_id = await assistantOf(host, threadId);
  const { services, body } = await permitted(host, threadId, {
    assistant_id,
    command: { resume, update, goto },
    config,
    metadata,
  });
  await services.eventStreaming.answer(threadId, Object.keys(resume), body, host.context.headers);
  return {};
}

/** `state.fork` */
export async function fork(
  host: ProtocolHost,
  threadId: string,
  { checkpoint_id: checkpointId, input = null, config }: z.output<typeof stateFork>,
): Promise<Fields> {
  const assistant_id = await assistantOf(host, threadId);
  const configurable = { ...config?.configurable, checkpoint_id: checkpointId };
  const params = { assistant_id, input, config: { ...config, configurable } };
  const { services, body } = await permitted(host, threadId, params);
  const runId = await services.eventStreaming.start(threadId, body, host.context.headers);
  return { run_id: runId, thread_id: threadId };
}

/** The assistant of a thread's last run. Answering needs permission to read the thread. */
async function assistantOf({ permit }: ProtocolHost, threadId: string): Promise<string> {
  const { services } = await permit(read, { params: { thread_id: threadId } });
  const { assistant_id: id } = services.eventStreaming.find(threadId).metadata;
  if (typeof id === "string") return id;
  throw new CommandError("no_such_run", `Thread ${threadId} has had no run: start one with run.start.`);
}

async function permitted(
  { permit }: ProtocolHost,
  threadId: string,
  params: Fields,
): Promise<Pick<Permitted, "services"> & { body: RunStart }> {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null);
  const nullInput = params.input === null ? { input: null } : {};
  const sent = { ...Object.fromEntries(given), ...nullInput, stream_subgraphs: true, if_not_exists: "create" };
  const body = runCreateStateful.parse(sent);
  const { services, request } = await permit(start, { params: { thread_id: threadId }, body });
  return { services, body: request.body as RunStart };
}
