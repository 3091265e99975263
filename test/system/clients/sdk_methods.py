"""Calls every method of the platform's Python client, async and sync, and once more with an empty value for each optional parameter.

Takes the address of a server with the built-in graphs. Prints one line for each problem, and the number of calls.
"""

import asyncio
import inspect
import sys
from datetime import datetime, timedelta, timezone

from httpx import HTTPStatusError
from langgraph_sdk import get_client, get_sync_client
from langgraph_sdk.errors import NotFoundError, UnprocessableEntityError

URL = sys.argv[1]
HELLO = {"messages": [{"role": "user", "content": "hello"}]}
YEARLY = "0 0 1 1 *"

# Methods that aren't called, with the reason.
NOT_CALLED = {"threads.stream": "needs commands and event streaming, which the server doesn't have yet"}

# Empty values in a path, where they name an object that doesn't exist.
IN_PATHS = {"assistants.get_subgraphs(namespace='')"}


class World:
    """Creates the objects that a call needs, with its own client."""

    def __init__(self):
        self.client = get_sync_client(url=URL, api_key="key")

    def assistant(self):
        return self.client.assistants.create("chat")["assistant_id"]

    def thread(self):
        return self.client.threads.create(graph_id="chat")["thread_id"]

    def asked(self):
        """The id of a thread at an interrupt."""
        thread_id = self.thread()
        self.client.runs.wait(thread_id, "approval", input={"log": ["start"]})
        return thread_id

    def ended(self):
        """The ids of a thread and of an ended run on it."""
        thread_id = self.thread()
        run = self.client.runs.create(thread_id, "chat", input=HELLO, stream_resumable=True)
        self.client.runs.join(thread_id, run["run_id"])
        return {"thread_id": thread_id, "run_id": run["run_id"]}

    def running(self, ms=60_000):
        """The ids of a thread and of a run in progress on it."""
        thread_id = self.thread()
        run = self.client.runs.create(thread_id, "delay", input={"ms": ms}, stream_mode="values")
        return {"thread_id": thread_id, "run_id": run["run_id"]}

    def cron(self):
        return self.client.crons.create("chat", schedule=YEARLY)["cron_id"]

    def item(self):
        self.client.store.put_item(["users", "ann"], "likes", {"food": "rice"})
        return ["users", "ann"]


def has(**fields):
    return lambda answer: all(answer[name] == value for name, value in fields.items())


def is_list(answer):
    return isinstance(answer, list)


def is_number(answer):
    return isinstance(answer, int)


def is_nothing(answer):
    return answer is None


def has_id(name):
    return lambda answer: isinstance(answer[name], str)


def streams(events):
    return len(events) > 0


def event_name(event):
    return event["type"] if isinstance(event, dict) else event.event


def echoes(values):
    return [message["content"] for message in values["messages"]] == ["hello", "Echo: hello"]


def given(*args, **kwargs):
    return args, kwargs


# The arguments of each method, and a check of its result.
CALLS = {
    "assistants.get": (lambda w: given(w.assistant()), has(graph_id="chat")),
    "assistants.get_graph": (lambda w: given("chat"), lambda drawing: bool(drawing["nodes"])),
    "assistants.get_schemas": (lambda w: given("chat"), has(graph_id="chat")),
    "assistants.get_subgraphs": (lambda w: given("subgraph"), lambda graphs: list(graphs) == ["child"]),
    "assistants.create": (lambda w: given("chat"), has(graph_id="chat", version=1)),
    "assistants.update": (lambda w: given(w.assistant()), has(graph_id="chat", version=2)),
    "assistants.delete": (lambda w: given(w.assistant()), is_nothing),
    "assistants.search": (lambda w: given(), lambda found: len(found) > 0),
    "assistants.count": (lambda w: given(), is_number),
    "assistants.get_versions": (lambda w: given(w.assistant()), lambda versions: versions[0]["version"] == 1),
    "assistants.set_latest": (lambda w: given(w.assistant(), 1), has(version=1)),
    "threads.get": (lambda w: given(w.thread()), has(status="idle")),
    "threads.create": (lambda w: given(), has(status="idle")),
    "threads.update": (lambda w: given(w.thread(), metadata={"a": 1}), lambda thread: thread["metadata"]["a"] == 1),
    "threads.delete": (lambda w: given(w.thread()), is_nothing),
    "threads.search": (lambda w: given(), lambda found: len(found) > 0 and "thread_id" in found[0]),
    "threads.count": (lambda w: given(), is_number),
    "threads.copy": (lambda w: given(w.thread()), lambda answer: True),
    "threads.prune": (lambda w: given([w.thread()]), has(pruned_count=1)),
    "threads.get_state": (lambda w: given(w.asked()), lambda state: state["next"] == ["ask"]),
    "threads.update_state": (lambda w: given(w.asked(), {"log": ["by hand"]}), lambda answer: "checkpoint" in answer),
    "threads.get_history": (lambda w: given(w.asked()), lambda states: states[0]["next"] == ["ask"]),
    "threads.join_stream": (lambda w: given(w.running(100)["thread_id"]), streams),
    "runs.stream": (lambda w: given(w.thread(), "chat", input=HELLO), streams),
    "runs.create": (lambda w: given(w.thread(), "chat", input=HELLO), has_id("run_id")),
    "runs.create_batch": (lambda w: given([{"assistant_id": "chat", "input": HELLO}]), lambda runs: len(runs) == 1),
    "runs.wait": (lambda w: given(w.thread(), "chat", input=HELLO), echoes),
    "runs.list": (lambda w: given(w.ended()["thread_id"]), lambda runs: len(runs) == 1 and "run_id" in runs[0]),
    "runs.get": (lambda w: given(**w.ended()), has(status="success")),
    "runs.cancel": (lambda w: given(**w.running()), is_nothing),
    "runs.cancel_many": (lambda w: given(**many(w.running())), is_nothing),
    "runs.join": (lambda w: given(**w.ended()), echoes),
    "runs.join_stream": (lambda w: given(**w.ended(), last_event_id="-1"), streams),
    "runs.delete": (lambda w: given(**w.ended()), is_nothing),
    "crons.create_for_thread": (lambda w: given(w.thread(), "chat", schedule=YEARLY), has(schedule=YEARLY)),
    "crons.create": (lambda w: given("chat", schedule=YEARLY), has(schedule=YEARLY)),
    "crons.update": (lambda w: given(w.cron(), enabled=False), has(schedule=YEARLY)),
    "crons.delete": (lambda w: given(w.cron()), is_nothing),
    "crons.search": (lambda w: given(), is_list),
    "crons.count": (lambda w: given(), is_number),
    "store.put_item": (lambda w: given(["users", "ann"], key="likes", value={"food": "rice"}), is_nothing),
    "store.get_item": (lambda w: given(w.item(), key="likes"), has(value={"food": "rice"})),
    "store.delete_item": (lambda w: given(w.item(), key="likes"), is_nothing),
    "store.search_items": (lambda w: given(w.item()), lambda found: len(found["items"]) == 1),
    "store.list_namespaces": (lambda w: given(), lambda found: ["users", "ann"] in found["namespaces"]),
}

# Checks of results that differ because an optional parameter is absent or empty.
WITHOUT = {
    "runs.join_stream(last_event_id=None)": is_list,
    "runs.join_stream(last_event_id='')": is_list,
    "runs.wait(input={})": lambda values: values["messages"][0]["content"] == "Echo: (nothing)",
}

# The errors of calls without an optional parameter that the server requires.
NEEDED = {
    "runs.cancel_many(thread_id=None)": "give either status, or thread_id and run_ids",
    "runs.cancel_many(run_ids=None)": "give either status, or thread_id and run_ids",
    "runs.wait(input=None)": "There is no input",
    "runs.stream(input=None)": "There is no input",
}


def many(ids):
    return {"thread_id": ids["thread_id"], "run_ids": [ids["run_id"]]}


def empty_values(parameter):
    """None, and the empty value of the parameter's type."""
    kind = str(parameter.annotation)
    if "Sequence[" in kind or "list[" in kind:
        return None, []
    if kind.startswith("str"):
        return None, ""
    if any(word in kind for word in ("Mapping", "Json", "Config", "Context", "Input", "Command", "Checkpoint", "Query")):
        return None, {}
    return (None,)


def groups_of(client):
    yield "client", client
    for name, value in vars(client).items():
        if name != "http" and type(value).__module__.startswith("langgraph_sdk"):
            yield name, value


def methods_of(client):
    for group, owner in groups_of(client):
        for name, method in inspect.getmembers(owner, callable):
            if not name.startswith("_") and inspect.isroutine(method):
                yield f"{group}.{name}", method


async def answer_of(method, args, kwargs):
    """The result of a method. For a stream, its events; for a thread's stream, which never ends, the first event."""
    answer = method(*args, **kwargs)
    limit = 1 if "Thread" in type(method.__self__).__name__ else None
    if inspect.isawaitable(answer):
        answer = await answer
    events = []
    if hasattr(answer, "__aiter__"):
        async for event in answer:
            events.append(event)
            if len(events) == limit:
                break
        await answer.aclose()
        return events
    if inspect.isgenerator(answer):
        for event in answer:
            events.append(event)
            if len(events) == limit:
                break
        answer.close()
        return events
    return answer


class Report:
    def __init__(self):
        self.calls = 0
        self.wrong = 0

    def complain(self, text):
        self.wrong += 1
        print(text, flush=True)

    async def call(self, label, name, method, world, parameter=None, value=None):
        prepare, check = CALLS[name]
        args, kwargs = prepare(world)
        if parameter is not None:
            kwargs[parameter] = value
        self.calls += 1
        try:
            answer = await answer_of(method, args, kwargs)
            if name == "runs.stream":
                raise_error_in(answer)
        except Exception as error:  # All are reported; the methods' exceptions have no common class.
            if not is_expected(label, error, parameter, value):
                self.complain(f"{label}: {error!r}")
            return
        if not WITHOUT.get(label, check)(answer):
            self.complain(f"{label}: answered {answer!r}")


def raise_error_in(events):
    for event in events:
        if event_name(event) == "error":
            raise RuntimeError(str(event))


def is_expected(label, error, parameter, value):
    """Whether a call should fail: it lacks a required parameter, or the error names its empty value. None is accepted otherwise."""
    if label in NEEDED:
        return NEEDED[label] in str(error)
    if label in IN_PATHS:
        return isinstance(error, NotFoundError)
    if isinstance(error, (ValueError, TypeError)):
        return parameter is not None and parameter in str(error)
    if parameter is None or value is None:
        return False
    if isinstance(error, HTTPStatusError):
        return error.response.status_code == 422
    return isinstance(error, UnprocessableEntityError) and parameter in str(error)


async def check_client(client, world, report):
    for name, method in methods_of(client):
        if name in NOT_CALLED or name in ("client.aclose", "client.close"):
            continue
        if name not in CALLS:
            report.complain(f"{name} isn't called")
            continue
        await report.call(name, name, method, world)
        for parameter in inspect.signature(method).parameters.values():
            if parameter.default is inspect.Parameter.empty:
                continue
            for value in empty_values(parameter):
                label = f"{name}({parameter.name}={value!r})"
                await report.call(label, name, method, world, parameter.name, value)


async def main():
    report = Report()
    world = World()
    end = datetime.now(timezone.utc) + timedelta(days=400)
    world.client.crons.create("chat", schedule=YEARLY, end_time=end, timezone="Europe/Berlin")
    asynchronous = get_client(url=URL, api_key="key")
    await check_client(asynchronous, world, report)
    await asynchronous.aclose()
    synchronous = get_sync_client(url=URL, api_key="key")
    await check_client(synchronous, world, report)
    synchronous.close()
    print(f"{report.calls} calls, {report.wrong} wrong")


asyncio.run(main())
