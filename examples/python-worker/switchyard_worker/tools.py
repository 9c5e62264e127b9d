"""What an author of tools uses: `tool`, `Call`, `Result`, `ToolError`."""

import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from jsonschema import Draft202012Validator


class ToolError(Exception):
    """Ends a call as a failure of this type (docs/worker-protocol.md lists the types)."""

    def __init__(self, error_type: str, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.error_type, self.message, self.details = error_type, message, details

    def result(self) -> "Result":
        error = {"error_type": self.error_type, "error_message": self.message or self.error_type}
        if self.details is not None:
            error["error_details"] = self.details
        return Result(status="failure", error=error)


@dataclass
class Result:
    """How a call ended. A tool that returns something else succeeded with it."""

    data: Any = None
    status: str = "success"
    error: dict[str, Any] | None = None
    explanation: str | None = None

    def to_body(self) -> dict[str, Any]:
        data = self.data if self.data is None or isinstance(self.data, dict) else {"value": self.data}
        data = {"text": self.data} if isinstance(self.data, str) else data
        return {"status": self.status, "data": data, "error": self.error, "explanation": self.explanation}


@dataclass
class Call:
    """What a running tool knows of its call, and may do. It is cancelled with asyncio's cancellation."""

    id: str
    user_id: str
    attempt: int
    progress: Callable[[float, float | None, str | None], None]
    """A sign of progress: value, total, message. The time limit starts again."""
    ask: Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]
    """Asks the person: a message and the JSON Schema of a form. Gives `action` and, if accepted, `content`."""


@dataclass
class Tool:
    name: str
    description: str
    input: dict[str, Any]
    tool_class: str
    timeout_ms: int
    version: str
    run: Callable[..., Awaitable[Any]] = field(repr=False)

    def definition(self, toolset: str) -> dict[str, Any]:
        about = {
            "name": f"{toolset}.{self.name}",
            "own_name": self.name,
            "description": self.description,
            "input_schema": self.input,
            "class": self.tool_class,
            "timeout_ms": self.timeout_ms,
            "version": self.version,
        }
        canonical = json.dumps(about, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return about | {"hash": hashlib.sha256(canonical.encode()).hexdigest()}

    def problem_of(self, arguments: dict[str, Any]) -> str | None:
        """Why these arguments do not fit, for the model."""
        error = next(Draft202012Validator(self.input).iter_errors(arguments), None)
        return None if error is None else f"{'.'.join(map(str, error.path)) or 'arguments'}: {error.message}"


def tool(*, input: dict[str, Any], tool_class: str, timeout_ms: int, version: str = "1.0.0") -> Callable[..., Tool]:
    """Makes a tool of `async def name(call, **arguments)`; its docstring is what the model reads."""

    def define(run: Callable[..., Awaitable[Any]]) -> Tool:
        description = (run.__doc__ or "").strip()
        if not description:
            raise ValueError(f"{run.__name__} needs a docstring that tells the model what it does")
        Draft202012Validator.check_schema(input)
        return Tool(run.__name__, description, input, tool_class, timeout_ms, version, run)

    return define
