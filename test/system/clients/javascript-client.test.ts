import { Client } from "@langchain/langgraph-sdk";
import { testEveryMethod } from "./javascript-methods.ts";

await testEveryMethod(Client);
