"""Runs the deploy CLI with a clock 300 times as fast, because it waits up to 15 minutes for a build."""

import time
from types import SimpleNamespace

from langgraph_cli import deploy
from langgraph_cli.cli import cli

RATE = 300

deploy.time = SimpleNamespace(
    time=lambda: time.time() * RATE,
    monotonic=lambda: time.monotonic() * RATE,
    sleep=lambda seconds: time.sleep(seconds / RATE),
)
cli(prog_name="langgraph")
