import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const server = fileURLToPath(new URL("../../../mock-server/server.ts", import.meta.url));

const script = `
  const { startMockServer } = await import(${JSON.stringify(server)});
  const mock = await startMockServer({ port: 0 });
  mock.faults.add({ effect: { latency: "1h" } });
  const { connect } = process.getBuiltinModule("node:net");
  const socket = connect(Number(new URL(mock.url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write("GET /v2/deployments HTTP/1.1\\r\\nhost: localhost\\r\\n\\r\\n");
  while (mock.faults.list()[0].matched === 0) await new Promise((resolve) => setImmediate(resolve));
  await mock.close();
  socket.destroy();
  console.log("closed");
`;

test("a process exits with its server, even if a fault still delays a response", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (piece) => {
    output += piece;
  });
  const [code] = await once(child, "close");
  expect({ code, output }).toEqual({ code: 0, output: "closed\n" });
});
