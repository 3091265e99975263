"""Uses the server's agents through Python's client of A2A. Takes the address of the server. Prints "done", or fails."""

import asyncio
import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.helpers.proto_helpers import new_data_message, new_text_message
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.errors import TaskNotFoundError, UnsupportedOperationError

URL = sys.argv[1]


async def connect(http, assistant, streaming):
    card = await A2ACardResolver(http, f"{URL}/a2a/{assistant}").get_agent_card()
    assert [interface.protocol_version for interface in card.supported_interfaces] == ["1.0", "0.3"], card
    return card, ClientFactory(ClientConfig(streaming=streaming, httpx_client=http)).create(card)


def sending(message, **configuration):
    return SendMessageRequest(message=message, configuration=SendMessageConfiguration(**configuration))


async def responses(client, request):
    return [response async for response in client.send_message(request)]


def text_of(artifact):
    return "".join(part.text for part in artifact.parts)


async def check_messages(http):
    card, client = await connect(http, "agent", False)
    assert card.name == "agent"
    assert card.capabilities.streaming and card.capabilities.push_notifications
    [response] = await responses(client, sending(new_text_message("hello", role=Role.ROLE_USER)))
    task = response.task
    assert task.status.state == TaskState.TASK_STATE_COMPLETED, task
    assert [text_of(artifact) for artifact in task.artifacts] == ["end of talk"]
    assert await client.get_task(GetTaskRequest(id=task.id)) == task
    try:
        await client.get_task(GetTaskRequest(id="nothing"))
    except TaskNotFoundError:
        pass
    else:
        raise AssertionError("an unknown task was found")
    again = new_text_message("again", role=Role.ROLE_USER, task_id=task.id)
    try:
        await responses(client, sending(again))
    except UnsupportedOperationError:
        pass
    else:
        raise AssertionError("a task that has ended took a message")


async def check_streams(http):
    _, client = await connect(http, "agent", True)
    seen = await responses(client, sending(new_text_message("hello", role=Role.ROLE_USER)))
    kinds = [response.WhichOneof("payload") for response in seen]
    assert kinds[0] == "task" and kinds[-1] == "status_update", kinds
    assert seen[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED
    response = ""
    for update in (one.artifact_update for one in seen if one.HasField("artifact_update")):
        response = (response if update.append else "") + text_of(update.artifact)
    assert response == "end of talk", response
    assert update.last_chunk


async def check_questions(http):
    _, client = await connect(http, "review", True)
    asked = await responses(client, sending(new_data_message({"request": "send"}, role=Role.ROLE_USER)))
    update = asked[-1].status_update
    assert update.status.state == TaskState.TASK_STATE_INPUT_REQUIRED, asked
    reply = new_text_message("yes", role=Role.ROLE_USER, task_id=update.task_id, context_id=update.context_id)
    ended = await responses(client, sending(reply))
    assert ended[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED, ended
    assert ended[-1].status_update.task_id == update.task_id


async def check_cancellation(http):
    _, client = await connect(http, "slow", False)
    message = new_data_message({"ms": 600_000}, role=Role.ROLE_USER)
    [response] = await responses(client, sending(message, return_immediately=True))
    task_id = response.task.id
    _, streaming = await connect(http, "slow", True)
    follower = streaming.subscribe(SubscribeToTaskRequest(id=task_id))
    first = await anext(follower)
    assert first.task.id == task_id, first
    cancelled = await client.cancel_task(CancelTaskRequest(id=task_id))
    assert cancelled.status.state == TaskState.TASK_STATE_CANCELED, cancelled
    rest = [one async for one in follower]
    assert rest[-1].status_update.status.state == TaskState.TASK_STATE_CANCELED, rest


async def check_notifications(http):
    received = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            received.append((self.headers["x-a2a-notification-token"], json.loads(body)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    waiting = Thread(target=server.handle_request)
    waiting.start()
    config = TaskPushNotificationConfig(url=f"http://127.0.0.1:{server.server_port}/", token="secret")
    _, client = await connect(http, "agent", False)
    message = new_text_message("hello", role=Role.ROLE_USER)
    [response] = await responses(client, sending(message, task_push_notification_config=config))
    await asyncio.to_thread(waiting.join)
    server.server_close()
    [(token, body)] = received
    assert token == "secret"
    assert body["task"]["id"] == response.task.id
    assert body["task"]["status"]["state"] == "TASK_STATE_COMPLETED"


async def main():
    async with httpx.AsyncClient(timeout=30) as http:
        for check in [check_messages, check_streams, check_questions, check_cancellation, check_notifications]:
            await check(http)
    print("done")


asyncio.run(main())
