import type { Prober } from "./prober.ts";

const slow = (n: number) => ({
  assistant_id: "slow",
  input: { value: "a", n },
  stream_mode: ["custom", "values"],
});

/** Streams joined during their run. */
export async function probeJoining({ record, newThread, untilUnderWay }: Prober): Promise<void> {
  const thread = await newThread();
  const resumable = `/threads/${thread}/runs`;
  const body = { ...slow(2500), stream_resumable: true };
  const { run_id: run } = await record("slow-create-resumable", "POST", resumable, body);
  await untilUnderWay(thread);
  await record("slow-joinstream-midrun", "GET", `${resumable}/${run}/stream`);
  for (const id of ["-1", "3"]) {
    const headers = { "last-event-id": id };
    await record(`slow-joinstream-lasteventid-${id}`, "GET", `${resumable}/${run}/stream`, undefined, headers);
  }
  const otherThread = await newThread();
  const other = `/threads/${otherThread}/runs`;
  const { run_id: second } = await record("slow-create-nonresumable", "POST", other, slow(2500));
  await untilUnderWay(otherThread);
  await record("slow-joinstream-nonresumable-midrun", "GET", `${other}/${second}/stream`);
  const path = `/threads/${await newThread()}/runs/stream`;
  await record("slow-stream-resumable", "POST", path, { ...slow(800), stream_resumable: true });
}

/** Runs that are cancelled during execution, cancelled before they start, and rolled back. */
export async function probeCancelling(prober: Prober): Promise<void> {
  const { record, recordDuring, newThread, untilUnderWay, ask } = prober;
  const id = await newThread();
  const thread = `/threads/${id}`;
  const { run_id: run } = await record("cancel-create", "POST", `${thread}/runs`, slow(6000));
  const path = `${thread}/runs/${run}`;
  await untilUnderWay(id);
  await recordDuring("cancel-joinstream-during", `${path}/stream`, () =>
    record("cancel-interrupt-wait", "POST", `${path}/cancel?wait=true&action=interrupt`),
  );
  await record("cancel-run-after", "GET", path);
  await record("cancel-thread-after", "GET", thread);
  await record("cancel-state-after", "GET", `${thread}/state`);

  const undone = await newThread();
  const undoneRun = `/threads/${undone}/runs/${(await ask("POST", `/threads/${undone}/runs`, slow(6000))).run_id}`;
  await untilUnderWay(undone);
  await record("cancel-rollback", "POST", `${undoneRun}/cancel?wait=1&action=rollback`, {});
  await record("cancel-rollback-run-after", "GET", undoneRun);

  const waiting = `/threads/${await newThread()}/runs`;
  const { run_id: pending } = await ask("POST", waiting, { ...slow(6000), after_seconds: 60 });
  await record("cancel-pending", "POST", `${waiting}/${pending}/cancel`, {});
  await record("cancel-pending-run-after", "GET", `${waiting}/${pending}`);
  await record("runs-cancel-bulk", "POST", "/runs/cancel", { status: "pending" });
  await record("run-delete", "DELETE", `${waiting}/${pending}`);
}

/** Runs that stop at an interrupt. */
export async function probeInterrupts({ record, newThread }: Prober): Promise<void> {
  const both = { stream_mode: ["values", "updates"] };
  const hitl = { assistant_id: "hitl", input: { log: ["start"] } };
  const thread = `/threads/${await newThread()}`;
  await record("hitl-stream", "POST", `${thread}/runs/stream`, { ...hitl, ...both });
  await record("hitl-thread", "GET", thread);
  await record("hitl-state", "GET", `${thread}/state`);
  const yes = { assistant_id: "hitl", command: { resume: "yes" }, ...both };
  await record("hitl-resume", "POST", `${thread}/runs/stream`, yes);
  await record("hitl-state-done", "GET", `${thread}/state`);
  const waited = `/threads/${await newThread()}/runs/wait`;
  await record("hitl-wait", "POST", waited, hitl);
  await record("hitl-resume-wait", "POST", waited, { assistant_id: "hitl", command: { resume: { ok: true } } });
  const stream = async (name: string, body: object) =>
    record(`hitl-${name}`, "POST", `/threads/${await newThread()}/runs/stream`, body);
  const modes = ["values", "updates", "debug"];
  await stream("interrupt-before", { ...hitl, interrupt_before: ["ask"], stream_mode: modes });
  const trivial = { assistant_id: "trivial", input: { value: "x" } };
  await stream("interrupt-after-star", { ...trivial, interrupt_after: "*", ...both });
  const command = { goto: "done", update: { log: ["via-command"] } };
  await stream("command-goto-update", { assistant_id: "hitl", command, ...both });
  await record("hitl-stateless", "POST", "/runs/stream", { ...hitl, ...both });
}

/** A run on a busy thread, with each strategy. */
export async function probeMultitask({ record, newThread, untilUnderWay, ask }: Prober): Promise<void> {
  const first = { assistant_id: "slow", input: { value: "first", n: 2500 } };
  const second = { assistant_id: "trivial", input: { value: "second" } };
  for (const strategy of ["reject", "interrupt", "rollback", "enqueue"]) {
    const thread = await newThread();
    const path = `/threads/${thread}`;
    const { run_id: run } = await ask("POST", `${path}/runs`, first);
    await untilUnderWay(thread);
    const body = { ...second, multitask_strategy: strategy, stream_mode: "values" };
    await record(`multitask-${strategy}`, "POST", `${path}/runs/stream`, body);
    await record(`multitask-${strategy}-first-after`, "GET", `${path}/runs/${run}`);
    await record(`multitask-${strategy}-list`, "GET", `${path}/runs`);
    await record(`multitask-${strategy}-state`, "GET", `${path}/state`);
  }
  const thread = await newThread();
  await ask("POST", `/threads/${thread}/runs`, first);
  await untilUnderWay(thread);
  await record("multitask-default", "POST", `/threads/${thread}/runs`, second);
  await record("busy-state-update", "POST", `/threads/${thread}/state`, { values: { value: "z" } });
  await record("busy-thread", "GET", `/threads/${thread}`);
}
