"""Joins runs and streams while each connection is cut once. Takes a server address. Prints "done", or fails."""

import asyncio
import sys
import warnings

from langgraph_sdk import get_client, get_sync_client

URL = sys.argv[1]
HELLO = {"messages": [{"role": "user", "content": "hello"}]}
DELAY = {"ms": 300, "steps": 6}
STEPS = [{"step": step, "of": 6} for step in range(1, 7)]

# The client warns of each resumption.
warnings.simplefilter("ignore")


def check_values(values):
    assert [message["content"] for message in values["messages"]] == ["hello", "Echo: hello"], values


def check_events(events):
    assert [event.data for event in events if event.event == "custom"] == STEPS, events


async def check_asynchronous():
    client = get_client(url=URL, api_key="key")

    async def on_thread():
        thread = await client.threads.create()
        check_values(await client.runs.wait(thread["thread_id"], "chat", input=HELLO))

    async def without_thread():
        # A stateless run leaves nothing behind, so this one lasts longer than the delay before the client reconnects.
        assert (await client.runs.wait(None, "delay", input={"ms": 2500, "steps": 1}))["done"] == 1

    async def joined():
        thread = await client.threads.create()
        run = await client.runs.create(thread["thread_id"], "chat", input=HELLO)
        check_values(await client.runs.join(thread["thread_id"], run["run_id"]))

    async def streamed():
        thread = await client.threads.create()
        stream = client.runs.stream(
            thread["thread_id"], "delay", input=DELAY, stream_mode="custom", stream_resumable=True
        )
        check_events([event async for event in stream])

    await asyncio.gather(on_thread(), without_thread(), joined(), streamed())


def check_synchronous():
    client = get_sync_client(url=URL, api_key="key")
    thread = client.threads.create()
    check_values(client.runs.wait(thread["thread_id"], "chat", input=HELLO))
    stream = client.runs.stream(
        thread["thread_id"], "delay", input=DELAY, stream_mode="custom", stream_resumable=True
    )
    check_events(list(stream))


async def main():
    await asyncio.gather(check_asynchronous(), asyncio.to_thread(check_synchronous))
    print("done")


asyncio.run(main())
