"""A tool worker of Switchyard. docs/worker-protocol.md of Switchyard describes the protocol."""

from .tools import Call, Result, Tool, ToolError, tool
from .worker import Worker, main

__all__ = ["Call", "Result", "Tool", "ToolError", "Worker", "main", "tool"]
