import { Client } from "@langchain/langgraph-sdk";
import { testEveryMethod } from "./client-methods.ts";

testEveryMethod(Client);
