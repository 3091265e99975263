"""Uses a server's graphs like local ones through Python's RemoteGraph. Takes the server's address. Prints "done", or fails."""

import asyncio
import sys
import uuid
from typing import Annotated, TypedDict

from langgraph.checkpoint.memory import MemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.pregel.remote import RemoteException, RemoteGraph
from langgraph.types import Command

URL = sys.argv[1]
HELLO = {"messages": [{"role": "user", "content": "hello"}]}
MODES = ["values", "updates", "messages", "custom", "debug", "tasks", "checkpoints"]


def remote(graph_id):
    return RemoteGraph(graph_id, url=URL, api_key="key")


def on_new_thread():
    return {"configurable": {"thread_id": str(uuid.uuid4())}}


def texts(values):
    return [message["content"] for message in values["messages"]]


def asks(answer):
    question = answer["__interrupt__"][0]
    value = question["value"] if isinstance(question, dict) else question.value
    return value == {"question": "Approve?", "request": "send"}


TALK = ["hello", "look it up", "looked up: look it up", "end of talk"]


def check_runs():
    agent = remote("agent")
    assert texts(agent.invoke(HELLO)) == TALK
    config = on_new_thread()
    assert texts(agent.invoke(HELLO, config)) == TALK
    assert texts(agent.get_state(config).values) == TALK
    named = remote("named")
    assert named.invoke({})["visited"] == "given"
    assert named.invoke({}, {"configurable": {"name": "chosen"}})["visited"] == "chosen"
    assert remote("tuned").invoke({})["size"] == "small"
    assert remote("tuned").invoke({}, context={"size": "large"})["size"] == "large"
    try:
        remote("failing").invoke(HELLO)
    except RemoteException as error:
        assert "The tray is empty." in str(error), error
    else:
        raise AssertionError("a failure wasn't raised")


def check_streams():
    agent = remote("agent")
    seen = {}
    for mode in MODES:
        seen[mode] = list(agent.stream(HELLO, on_new_thread(), stream_mode=mode))
        assert seen[mode], mode
    assert texts(seen["values"][-1]) == TALK
    assert [next(iter(update)) for update in seen["updates"]] == ["model", "look", "model"]
    assert seen["custom"] == [{"asked": "first"}, {"asked": "again"}]
    spoken = [message["content"] for message, about in seen["messages"] if about["langgraph_node"] == "model"]
    assert "".join(spoken) == "look it upend of talk", spoken
    assert {event["type"] for event in seen["debug"]} == {"checkpoint", "task", "task_result"}
    assert {task["name"] for task in seen["tasks"]} == {"model", "look"}
    assert all({"values", "next", "tasks", "config"} <= set(state) for state in seen["checkpoints"])
    both = list(agent.stream(HELLO, stream_mode=["updates", "custom"]))
    assert {part.event for part in both} == {"updates", "custom"}
    deep = list(remote("forecast").stream(weather(), on_new_thread(), stream_mode="updates", subgraphs=True))
    assert any(namespace and namespace[0].startswith("service:") for namespace, _ in deep), deep


def weather():
    return {"messages": [{"role": "user", "content": "How is the weather?"}]}


def check_states():
    review = remote("review")
    config = on_new_thread()
    assert asks(review.invoke({"request": "send"}, config))
    state = review.get_state(config)
    assert state.next == ("ask",) and state.tasks[0].interrupts[0].value["question"] == "Approve?", state
    history = list(review.get_state_history(config))
    assert [snapshot.next for snapshot in history] == [("ask",), ("__start__",)], history
    assert list(review.get_state_history(config, limit=1))[0].next == ("ask",)
    assert [snapshot.next for snapshot in review.get_state_history(config, before=state.config)] == [("__start__",)]
    assert review.invoke(Command(resume="yes"), config)["log"] == 'acted on "yes"'

    changed = review.update_state(state.config, {"decision": "by hand"}, as_node="ask")
    assert review.get_state(changed).next == ("act",)
    assert review.invoke(None, config)["log"] == 'acted on "by hand"'

    forecast = remote("forecast")
    config = on_new_thread()
    forecast.invoke(weather(), config)
    stopped = forecast.get_state(config, subgraphs=True)
    assert stopped.next == ("service",) and stopped.tasks[0].state.next == ("station",), stopped
    assert texts(forecast.invoke(None, config))[-1] == "Sunny in San Francisco."
    agent = remote("agent")
    agent.invoke(HELLO, config := on_new_thread(), interrupt_before=["look"])
    assert agent.get_state(config).next == ("look",)
    assert texts(agent.invoke(None, config)) == TALK


def check_drawings():
    drawn = remote("forecast").get_graph(xray=True)
    assert any("station" in node for node in drawn.nodes), drawn.nodes
    assert "router" in drawn.draw_mermaid()
    assert list(remote("named").get_graph().nodes) == ["__start__", "given", "__end__"]


class Talk(TypedDict):
    messages: Annotated[list, add_messages]


class Request(TypedDict):
    request: str
    decision: object
    log: str


def check_as_part():
    whole = StateGraph(Talk).add_node("agent", remote("agent")).add_edge(START, "agent").add_edge("agent", END).compile()
    assert [message.content for message in whole.invoke(HELLO)["messages"]] == TALK
    assert "agent" in whole.get_graph(xray=True).draw_mermaid()
    streamed = list(whole.stream(HELLO, stream_mode=["updates", "custom"], subgraphs=True))
    assert (("custom", {"asked": "first"})) in [event[1:] for event in streamed], streamed

    asking = StateGraph(Request).add_node("review", remote("review")).add_edge(START, "review").add_edge("review", END)
    graph = asking.compile(checkpointer=MemorySaver())
    config = on_new_thread()
    assert asks(graph.invoke({"request": "send"}, config))
    # A resume value for the whole graph starts the subgraph again; one for the subgraph continues it on the same thread.
    assert remote("review").invoke(Command(resume="yes"), config)["log"] == 'acted on "yes"'


async def check_asynchronous():
    agent = remote("agent")
    config = on_new_thread()
    assert texts(await agent.ainvoke(HELLO, config)) == TALK
    for mode in MODES:
        assert [event async for event in agent.astream(HELLO, on_new_thread(), stream_mode=mode)], mode
    assert texts((await agent.aget_state(config)).values) == TALK
    assert len([state async for state in agent.aget_state_history(config)]) == 5
    changed = await agent.aupdate_state(config, HELLO, as_node="model")
    assert (await agent.aget_state(changed)).next == ("look",)
    assert "look" in (await agent.aget_graph()).draw_mermaid()
    review = remote("review")
    config = on_new_thread()
    assert asks(await review.ainvoke({"request": "send"}, config))
    assert (await review.ainvoke(Command(resume="no"), config))["log"] == 'acted on "no"'


check_runs()
check_streams()
check_states()
check_drawings()
check_as_part()
asyncio.run(check_asynchronous())
print("done")
