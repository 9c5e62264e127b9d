"""Requests to the ledger: repeated until they are answered."""

import asyncio
import itertools
import json
import random
import uuid
from datetime import datetime, timezone
from typing import Any

import aio_pika
from aio_pika.exceptions import CONNECTION_EXCEPTIONS, PublishError

REQUEST_LIFE_S = 5
"""A request that nobody took by then is dropped by the broker: a dead worker's backlog claims nothing."""
PATIENCE_S = 1.0
PAUSES_S = (0.1, 2.0)


class Refused(Exception):
    """The ledger will never do this."""


def now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Ledger:
    def __init__(self, worker: str) -> None:
        self.worker = worker
        self.exchange: aio_pika.abc.AbstractExchange | None = None
        """While connected."""
        self.waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}

    async def ask(self, verb: str, purpose: str = "calls", first: str | None = None, **fields: Any) -> dict[str, Any]:
        """`first`: the control key of the orchestrator to ask first. Without it, or when it is gone: any one."""
        request_id = uuid.uuid4().hex
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self.waiting[request_id] = answer
        body = {**fields, "request_id": request_id, "worker": self.worker}
        try:
            for repetition in itertools.count():
                if await self.send(verb, first or purpose, body) == "returned" and first:
                    await self.send(verb, purpose, body)
                first = None
                pause = min(PAUSES_S[1], PAUSES_S[0] * 2 ** min(repetition, 8)) * random.uniform(0.5, 1)
                done, _ = await asyncio.wait([answer], timeout=PATIENCE_S + pause)
                if done:
                    break
            given = answer.result()
            if "refused" in given:
                raise Refused(given["refused"])
            return given
        finally:
            del self.waiting[request_id]

    async def send(self, verb: str, key: str, body: dict[str, Any]) -> str:
        """`sent`, `returned` when no queue has this key, or `unknown`."""
        if self.exchange is None:
            return "unknown"
        body = {name: value for name, value in body.items() if value is not None}
        envelope = {"id": uuid.uuid4().hex, "type": f"ledger.{verb}", "version": "1.0.0", "at": now(), "body": body}
        content = json.dumps(envelope, allow_nan=False).encode()
        message = aio_pika.Message(
            content, content_type="application/json", message_id=envelope["id"], expiration=REQUEST_LIFE_S
        )
        try:
            await self.exchange.publish(message, key, mandatory=True, timeout=PATIENCE_S)
            return "sent"
        except PublishError:
            return "returned"
        except (*CONNECTION_EXCEPTIONS, asyncio.TimeoutError):
            return "unknown"

    def answered(self, body: dict[str, Any]) -> None:
        waiting = self.waiting.get(body["request_id"])
        if waiting and not waiting.done():
            waiting.set_result(body)
