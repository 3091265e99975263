const encoder = new TextEncoder();

/** Values as server-sent events, read at the pace of the client, with comments while there are none. */
export function streamOf(first: object, rest: AsyncGenerator<object>, heartbeatMs: number): ReadableStream<Uint8Array> {
  const eventOf = (value: object) => encoder.encode(`data: ${JSON.stringify(value)}\n\n`);
  let heartbeat: NodeJS.Timeout | undefined;
  return new ReadableStream({
    start(controller) {
      controller.enqueue(eventOf(first));
      heartbeat = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(": heartbeat\n\n"));
      }, heartbeatMs).unref();
    },
    async pull(controller) {
      const { done, value } = await rest.next();
      if (!done) {
        controller.enqueue(eventOf(value));
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
