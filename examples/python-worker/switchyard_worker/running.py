"""One call, from its delivery to its acknowledgement: claim, run, settle."""

import asyncio
import json
import time
from datetime import datetime
from typing import Any

from .ledger import Ledger, Refused, now
from .tools import Call, Result, Tool, ToolError

TICKET = ["tool_call_id", "turn_id", "conversation_id", "n", "user_id", "tool_name"]
TICKET += ["class", "max_attempts", "reply_to", "token"]
STALE_S = 3600
"""So long after its deadline a call has been ended by others."""
LOOK_FOR_ANSWER_S = 5
LOOK_AT_TIME_S = 0.5
"""Progress and questions move the end of a call's time."""
MAX_QUESTION_S = 900
MAX_RESULT_BYTES = 900_000
"""A message may have 1 MiB, with all that is around the result."""
MAX_RESULT_DEPTH = 28
"""A message may have 32 levels."""


class Ended(Exception):
    """The call has ended, or another worker ends it: the delivery can be acknowledged."""


class RunningCall:
    """`never_started`: calls that this worker claimed and did not start, by id."""

    def __init__(self, ledger: Ledger, tool: Tool, body: dict[str, Any], never_started: set[str]) -> None:
        self.ledger, self.tool, self.body, self.never_started = ledger, tool, body, never_started
        self.id = body["tool_call_id"]
        self.toolset = body["tool_name"].split(".")[0]
        self.deadline = datetime.fromisoformat(body["deadline"].replace("Z", "+00:00")).timestamp()
        self.arguments: dict[str, Any] = body["arguments"]
        self.timeout_s = body["timeout_ms"] / 1000
        self.ticket = {name: body[name] for name in TICKET if name != "max_attempts" or name in body}
        self.server = body["reply_to"]
        """The orchestrator that sent the call, then the one that served the claim."""
        self.stopped = asyncio.Event()
        self.answered = asyncio.Event()
        self.gives_up_asking = asyncio.Event()
        self.progressed = 0
        self.questions = 0
        self.ends_at: float | None = None
        """When its time is up, by the event loop's clock; None while a person is asked."""

    async def handle(self) -> None:
        try:
            refusal = self.refusal()
            attempt = None if refusal and await self.refuse(refusal) else await self.claim(bool(refusal))
            if attempt is None:
                return
            started = time.monotonic()
            result = await self.run(attempt)
            await self.settle(attempt, result, round((time.monotonic() - started) * 1000))
        except (Ended, Refused):
            return

    def refusal(self) -> ToolError | None:
        """Why it must not start."""
        late = time.time() - self.deadline
        if late > STALE_S:
            raise Ended
        if late > 0:
            return ToolError("TimeoutError", "No worker started this call before its deadline.", {"started": False})
        problem = self.tool.problem_of(self.arguments)
        return ToolError("ValidationError", problem) if problem else None

    async def refuse(self, error: ToolError) -> bool:
        """False when a worker had claimed the call to run it: its claim is judged."""
        answer = await self.request("refuse", result=error.result().to_body(), unclaimed=False)
        return answer["refuse"]["ended"]

    async def claim(self, is_lost: bool) -> int | None:
        """The attempt that is this worker's to run."""
        if not is_lost:
            given = await self.claim_attempt(1)
            if given["claimed"] == "mine":
                return await self.confirm(given)
            is_lost = given["claimed"] == "lost"
        judged = (await self.request("judge"))["judge"] if is_lost else {}
        if "attempt" not in judged:
            return None
        given = await self.claim_attempt(judged["attempt"], judged.get("evidence"))
        return await self.confirm(given) if given["claimed"] == "mine" else None

    async def claim_attempt(self, attempt: int, evidence: str | None = None) -> dict[str, Any]:
        answer = await self.request("claim", attempt=attempt, evidence=evidence)
        self.server = answer["server"]
        if answer["claim"]["claimed"] == "stopped":
            await self.stand_back(attempt)
        return answer["claim"]

    async def confirm(self, given: dict[str, Any]) -> int | None:
        """The answer may come too late, or tell of an operator's pause or a Stop: then nothing starts."""
        attempt = given["claim"]["n"]
        if self.stopped.is_set():
            await self.stand_back(attempt)
            return None
        error = self.refusal()
        if "pause" in given:
            error = ToolError("DependencyUnavailable", f"{self.tool.name} is paused by an operator.", {"started": False})
        if error is None:
            return attempt
        await self.settle(attempt, error.result(), 0)
        return None

    async def stand_back(self, attempt: int) -> None:
        """Its turn was stopped: it ends, unless another worker may be running it."""
        told = {"attempt": attempt, "first": attempt, "has_run": False, "never_started": self.id in self.never_started}
        answer = await self.request("stand_back", **told)
        if not answer["stand_back"]["started"]:
            self.never_started.add(self.id)

    async def run(self, attempt: int) -> Result:
        """For at most its timeout, which starts again with each sign of progress; and no longer once it is stopped."""
        loop = asyncio.get_running_loop()
        call = Call(self.id, self.body["user_id"], attempt, self.progress, self.ask)
        running = asyncio.ensure_future(self.tool.run(call, **self.arguments))
        stopped = asyncio.ensure_future(self.stopped.wait())
        stopped.add_done_callback(lambda _: running.cancel())
        self.ends_at = loop.time() + self.timeout_s
        try:
            while not running.done():
                left = LOOK_AT_TIME_S if self.ends_at is None else self.ends_at - loop.time()
                if left <= 0:
                    limit = {"limit_ms": self.body["timeout_ms"], "may_still_run": True}
                    raise ToolError("TimeoutError", f"No answer within {limit['limit_ms']} ms.", limit)
                await asyncio.wait([running], timeout=min(left, LOOK_AT_TIME_S))
            return bounded(running.result())
        except asyncio.CancelledError:
            return ToolError("Cancelled", "The call was stopped while it ran.", {"started": True}).result()
        except ToolError as error:
            return error.result()
        except Exception as error:  # noqa: BLE001 - whatever an author's code raises ends its call
            return ToolError("ToolExecutionError", f"{type(error).__name__}: {error}"[:2000]).result()
        finally:
            running.cancel()
            stopped.cancel()

    def progress(self, value: float, total: float | None = None, message: str | None = None) -> None:
        self.progressed += 1
        if self.ends_at is not None:
            self.ends_at = asyncio.get_running_loop().time() + self.timeout_s
        told = {"number": self.progressed, "progress": value, "total": total, "message": message}
        body = {"worker": self.ledger.worker, "call": self.ticket, **told}
        self.told = asyncio.ensure_future(self.ledger.send("progress", self.server, body))

    async def ask(self, message: str, schema: dict[str, Any]) -> dict[str, Any]:
        self.ends_at = None
        told = {"message": message, "schema": schema, "after": self.questions, "expire_ms": MAX_QUESTION_S * 1000}
        asked = (await self.request("ask", **told))["ask"]
        self.questions = number = asked["number"]
        answer = asked["answer"]
        expires = time.monotonic() + MAX_QUESTION_S
        while answer is None:
            give_up = self.gives_up_asking.is_set() or time.monotonic() > expires
            self.answered.clear()
            answer = (await self.request("reply", number=number, give_up=give_up))["reply"]["answer"]
            if answer is None:
                waits = [asyncio.ensure_future(event.wait()) for event in (self.answered, self.gives_up_asking)]
                await asyncio.wait(waits, timeout=LOOK_FOR_ANSWER_S, return_when=asyncio.FIRST_COMPLETED)
                for wait in waits:
                    wait.cancel()
        self.ends_at = asyncio.get_running_loop().time() + self.timeout_s
        return {"action": answer.get("action", "accept"), "content": answer.get("content")}

    async def settle(self, attempt: int, result: Result, duration_ms: int) -> None:
        told = {"attempt": attempt, "duration_ms": duration_ms, "at": now()}
        try:
            await self.request("settle", result=result.to_body(), **told)
        except Refused as refused:
            # A result that the ledger cannot read must not leave the call without an end.
            error = ToolError("ToolExecutionError", f"The ledger refused the result: {refused}")
            await self.request("settle", result=error.result().to_body(), **told)

    async def request(self, verb: str, **fields: Any) -> dict[str, Any]:
        return await self.ledger.ask(verb, first=self.server, call=self.ticket, **fields)


def bounded(returned: Any) -> Result:
    result = returned if isinstance(returned, Result) else Result(returned)
    try:
        size = len(json.dumps(result.to_body(), allow_nan=False).encode())
    except (TypeError, ValueError, RecursionError):
        raise ToolError("ToolExecutionError", "The tool returned a value that is not JSON.") from None
    if depth_of(result.to_body()) > MAX_RESULT_DEPTH:
        raise ToolError("ToolExecutionError", f"The tool's result nests more than {MAX_RESULT_DEPTH} levels.")
    if size > MAX_RESULT_BYTES:
        raise ToolError("ToolExecutionError", f"The result has {size} bytes; at most {MAX_RESULT_BYTES} are sent.")
    return result


def depth_of(value: Any) -> int:
    """Level by level: the value may be deeper than Python's stack."""
    depth, level = 0, [value]
    while level:
        depth += 1
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, (dict, list, tuple))
        ]
    return depth
