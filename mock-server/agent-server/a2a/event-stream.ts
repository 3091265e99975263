const encoder = new TextEncoder();

/** Values as server-sent events, read at the pace of the client, with comments while there are none. */
export function streamOf(values: AsyncGenerator<unknown>, heartbeatMs: number): ReadableStream<Uint8Array> {
  let heartbeat: NodeJS.Timeout | undefined;
  return new ReadableStream({
    start(controller) {
      heartbeat = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(": heartbeat\n\n"));
      }, heartbeatMs).unref();
    },
    async pull(controller) {
      const { done, value } = await values.next();
      if (!done) {
        controller.enqueue(encoder.encode(`data: ${JSON.stringify(value)}\n\n`));
        return;
      }
      clearInterval(heartbeat);
      controller.close();
    },
    cancel() {
      // The generator ends by the signal of the request: it may wait for an event that comes much later.
      clearInterval(heartbeat);
    },
  });
}
