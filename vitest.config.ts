import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/fixtures/**", "**/node_modules/**"],
    // Pulumi stores the source text of provider functions, so the built package must reach it as it is, untransformed.
    server: { deps: { external: [/\/build\//] } },
    globalSetup: ["test/support/build-once.ts"],
    // The slowest tests run the real Pulumi CLI several times; nothing asserts on time.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: ["default", "json"],
    outputFile: { json: ".cache/vitest-report.json" },
  },
});
