"""The toolset with which `switchyard worker-contract` tries a worker (docs/worker-protocol.md)."""

import asyncio
import os
from functools import partial
from typing import Any

from switchyard_worker import Call, ToolError, main
from switchyard_worker import tool as any_tool

tool = partial(any_tool, version=os.environ.get("CONTRACT_VERSION", "1.0.0"))


def arguments(**types: str) -> dict[str, Any]:
    properties = {name: {"type": given} for name, given in types.items()}
    return {"type": "object", "properties": properties, "required": list(types), "additionalProperties": False}


@tool(input=arguments(text="string"), tool_class="read", timeout_ms=10_000)
async def echo(call: Call, text: str) -> dict[str, Any]:
    """Gives the text back."""
    return {"text": text}


async def leave_traces(file: str, wait_ms: float) -> dict[str, Any]:
    with open(file, "a") as traces:
        traces.write("start\n")
    await asyncio.sleep(wait_ms / 1000)
    with open(file, "a") as traces:
        traces.write("end\n")
    return {"done": True}


@tool(input=arguments(file="string", wait_ms="number"), tool_class="once", timeout_ms=10_000)
async def act(call: Call, file: str, wait_ms: float) -> dict[str, Any]:
    """Leaves traces in a file."""
    return await leave_traces(file, wait_ms)


@tool(input=arguments(file="string", wait_ms="number"), tool_class="idempotent", timeout_ms=10_000)
async def repeat(call: Call, file: str, wait_ms: float) -> dict[str, Any]:
    """The same, again if need be."""
    return await leave_traces(file, wait_ms)


@tool(input=arguments(error_type="string", message="string"), tool_class="read", timeout_ms=10_000)
async def fail(call: Call, error_type: str, message: str) -> None:
    """Fails."""
    raise ToolError(error_type, message)


@tool(input=arguments(to="number", every_ms="number"), tool_class="read", timeout_ms=10_000)
async def count(call: Call, to: int, every_ms: float) -> dict[str, Any]:
    """Counts, and tells its progress."""
    for number in range(1, to + 1):
        await asyncio.sleep(every_ms / 1000)
        call.progress(number, to, None)
    return {"counted": to}


@tool(input=arguments(message="string"), tool_class="once", timeout_ms=10_000)
async def ask(call: Call, message: str) -> dict[str, Any]:
    """Asks for a name."""
    reply = await call.ask(message, {"type": "object", "properties": {"name": {"type": "string"}}})
    return {"action": reply["action"], "name": (reply["content"] or {}).get("name")}


if __name__ == "__main__":
    main({"contract": [echo, act, repeat, fail, count, ask]})
