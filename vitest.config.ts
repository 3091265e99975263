import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// Pulumi stores the source text of provider functions, so the built package must reach it as it is, untransformed.
const server = { deps: { external: [/\/build\//] } };

export default defineConfig({
  test: {
    // One more than there are cores, since many tests wait for a timer or another process.
    maxWorkers: availableParallelism() + 1,
    reporters: ["default", "json"],
    outputFile: { json: ".cache/vitest-report.json" },
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          server,
          pool: "threads",
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      // The slowest tests run the real Pulumi CLI several times; nothing asserts on time.
      ...(["process", "system"] as const).map((name) => ({
        test: {
          name,
          include: [`test/${name}/**/*.test.ts`],
          server,
          globalSetup: ["test/kit/build-once.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      })),
    ],
  },
});
