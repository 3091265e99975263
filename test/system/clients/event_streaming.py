"""Runs graphs by commands and streams their events, over both transports: by both clients, and by a RemoteGraph. Takes a
server address. Prints "done"."""

import asyncio
import sys

from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk import get_client, get_sync_client

URL = sys.argv[1]
HELLO = {"messages": [{"role": "user", "content": "hello"}]}


async def check_messages(client, transport):
    async with client.threads.stream(assistant_id="chat", transport=transport) as thread:
        await thread.run.start(input=HELLO)
        messages = [message async for message in thread.messages]
        texts = ["".join([token async for token in message.text]) for message in messages]
        assert texts == ["Echo: hello"], texts
        values = await thread.output
        assert [message["content"] for message in values["messages"]] == ["hello", "Echo: hello"], values


async def check_tools(client, transport):
    async with client.threads.stream(assistant_id="tools", transport=transport) as thread:
        await thread.run.start(input={"messages": [{"role": "user", "content": "Rome"}]})
        calls = [(call.name, call.input) async for call in thread.tool_calls]
        assert calls == [("weather", {"city": "Rome"})], calls


async def check_subgraphs(client, transport):
    async with client.threads.stream(assistant_id="subgraph", transport=transport) as thread:
        await thread.run.start(input={"topic": "tea"})
        paths = [subgraph.path async for subgraph in thread.subgraphs]
        assert any(path[0].startswith("child:") for path in paths), paths
        assert (await thread.output)["summary"] == "2 findings"


async def check_events(client, transport):
    async with client.threads.stream(assistant_id="events", transport=transport) as thread:
        await thread.run.start(input={"steps": 20})
        steps = []
        async for event in thread.subscribe(["custom", "lifecycle"]):
            if event["method"] == "custom":
                steps.append(event["params"]["data"]["payload"]["step"])
        assert steps == list(range(1, 21)), steps


async def check_interrupt(client, transport):
    async with client.threads.stream(assistant_id="approval", transport=transport) as thread:
        await thread.run.start(input={"log": ["x"]})
        async for _ in thread.values:
            pass
        assert thread.interrupted
        question = thread.interrupts[0]["value"]
        assert question == {"question": "approve?", "log": ["x"]}, question
        await thread.run.respond("yes")
        values = await thread.output
        assert values == {"log": ["x", "asked", "done"], "answer": "yes"}, values


def run_blocking(transport):
    client = get_sync_client(url=URL, api_key="key")
    with client.threads.stream(assistant_id="chat", transport=transport) as thread:
        thread.run.start(input=HELLO)
        messages = list(thread.messages)
        assert [str(message.text) for message in messages] == ["Echo: hello"], messages
        assert thread.output["messages"][-1]["content"] == "Echo: hello", thread.output


async def check_blocking_client(_, transport):
    await asyncio.to_thread(run_blocking, transport)


async def check_remote_graph(_, __):
    graph = RemoteGraph("chat", url=URL, api_key="key")
    async with await graph.astream_events(HELLO, version="v3") as run:
        output = await run.output()
    assert output["messages"][-1]["content"] == "Echo: hello", output


CHECKS = [
    check_messages,
    check_tools,
    check_subgraphs,
    check_events,
    check_interrupt,
    check_blocking_client,
    check_remote_graph,
]


async def main():
    client = get_client(url=URL, api_key="key")
    for transport in ["sse", "websocket"]:
        for check in CHECKS:
            try:
                await asyncio.wait_for(check(client, transport), 20)
            except BaseException as error:
                raise RuntimeError(f"{check.__name__} over {transport}: {error!r}") from error


asyncio.run(main())
print("done")
