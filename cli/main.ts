#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// What is compiled once is loaded from then on: so it must be on before the rest is imported.
enableCompileCache();
await import("./program.ts");
