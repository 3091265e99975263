import type { Client as Newest } from "@langchain/langgraph-sdk";
import { Client } from "langgraph-sdk-floor";
import { testEveryMethod } from "./client-methods.ts";

testEveryMethod(Client as unknown as typeof Newest, { isFloor: true });
