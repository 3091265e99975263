import type { Client as Newest } from "@langchain/langgraph-sdk";
import { Client } from "langgraph-sdk-floor";
import { testEveryMethod } from "./javascript-methods.ts";

await testEveryMethod(Client as unknown as typeof Newest, { isFloor: true });
