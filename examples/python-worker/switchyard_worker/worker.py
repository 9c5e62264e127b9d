"""The process: its connection, its part in the fleet, and the calls in hand."""

import asyncio
import json
import logging
import os
import signal
import socket
import time
import uuid
from collections.abc import Callable, Coroutine
from typing import Any

import aio_pika
from aio_pika.exceptions import CONNECTION_EXCEPTIONS
from aiormq.exceptions import ChannelAccessRefused

from .ledger import Ledger, Refused, now
from .running import RunningCall
from .settings import Settings, SetupError, explain, read_settings
from .tools import Tool

BEAT_S, ANNOUNCE_S, PACE_S = 2, 10, 60
KNOWN_TO_LIVE_S = 6
"""Beats may be at most so old when a call is claimed: two seconds later others may count the worker as dead."""
VERSION = "0.1.0"
log = logging.getLogger("switchyard")


class Worker:
    def __init__(self, url: str, group: str, toolsets: dict[str, list[Tool]], concurrency: int = 16) -> None:
        self.url, self.toolsets, self.concurrency = url, toolsets, concurrency
        self.id = f"worker-{group}--{uuid.uuid4()}"
        self.key = self.id.replace("-", ".", 1)
        self.group = group
        self.ledger = Ledger(self.id)
        self.tools = {f"{name}.{tool.name}": tool for name, tools in toolsets.items() for tool in tools}
        self.calls: dict[str, RunningCall] = {}
        self.never_started: set[str] = set()
        self.ended: list[tuple[str, float]] = []
        self.handling: set[asyncio.Task[None]] = set()
        self.consumers: list[tuple[aio_pika.abc.AbstractQueue, str]] = []
        self.channels: list[aio_pika.abc.AbstractChannel] = []
        self.connected = asyncio.Event()
        self.has_connected = self.has_worked = False
        self.beaten_at: tuple[float, float] | None = None
        self.beaten = asyncio.Condition()
        self.is_drained = False
        self.leaving = asyncio.Event()
        self.is_gone = False

    async def run(self, drain_s: float = 10) -> int:
        """
        Takes calls until `leave`. The exit code of the process: 1 when others count it as dead. Raises `SetupError`
        when the broker cannot be used from the start.
        """
        tasks = [asyncio.ensure_future(work) for work in (self.stay_connected(), self.beat(), self.announce_often())]
        await asyncio.wait([*tasks, asyncio.ensure_future(self.leaving.wait())], return_when=asyncio.FIRST_COMPLETED)
        is_unusable = tasks[0].done()
        if not self.is_gone and not is_unusable:
            await self.drain(drain_s)
        for task in tasks:
            task.cancel()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        for error in outcomes:
            if isinstance(error, SetupError):
                raise error
            if isinstance(error, Exception):
                log.error("failed: %r", error)
                return 1
        return 1 if self.is_gone else 0

    def leave(self) -> None:
        self.leaving.set()

    async def stay_connected(self) -> None:
        """An error of the first connection, and a right that is refused at the start, are for a person to mend."""
        pause = 0.1
        while True:
            try:
                async with await aio_pika.connect(self.url, timeout=5) as connection:
                    self.has_connected = True
                    await self.use(connection)
            except (*CONNECTION_EXCEPTIONS, asyncio.TimeoutError) as error:
                reason = explain(self.url, self.group, error)
                if not self.has_connected or (isinstance(error, ChannelAccessRefused) and not self.has_worked):
                    raise SetupError(reason) from None
                log.warning("%s; trying again", reason)
            pause = 0.1 if self.connected.is_set() else min(5, pause * 2)
            self.ledger.exchange, self.consumers = None, []
            self.connected.clear()
            await asyncio.sleep(pause)

    async def use(self, connection: aio_pika.abc.AbstractConnection) -> None:
        """Until the connection or one of its channels is lost; raises the reason."""
        lost: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()

        def lose(_: Any, error: BaseException | None = None) -> None:
            if not lost.done():
                lost.set_result(error if isinstance(error, Exception) else ConnectionError("it was closed"))

        connection.close_callbacks.add(lose)
        working = asyncio.ensure_future(self.set_up(connection, lose))
        try:
            await asyncio.wait([working, lost], return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                working.result()
            raise await lost
        finally:
            working.cancel()

    async def set_up(self, connection: aio_pika.abc.AbstractConnection, lose: Callable[..., None]) -> None:
        channel = await connection.channel(publisher_confirms=True, on_return_raises=True)
        channel.close_callbacks.add(lose)
        control = await channel.declare_queue(
            f"worker.{self.group}.{self.id.split('--')[1]}.control.{uuid.uuid4().hex[:8]}",
            exclusive=True,
            arguments={"x-queue-type": "classic", "x-overflow": "reject-publish", "x-max-length": 10_000},
        )
        for key in (self.key, "ledger.all"):
            await control.bind(f"switchyard.control.{self.group}", key)
        self.ledger.exchange = await channel.get_exchange(f"switchyard.ledger.{self.group}", ensure=False)
        await control.consume(self.on_control, no_ack=True, exclusive=True)
        self.channels = [await connection.channel() for _ in self.toolsets]
        for own in self.channels:
            own.close_callbacks.add(lose)
            await own.set_qos(prefetch_count=self.concurrency)
        await self.first_beat()
        await self.consume()
        self.has_worked = True
        self.connected.set()
        await self.announce()
        log.info("%s takes calls of %s", self.id, ", ".join(self.toolsets))

    async def consume(self) -> None:
        if self.is_drained or self.leaving.is_set():
            return
        for channel, name in zip(self.channels, self.toolsets):
            queue = await channel.get_queue(f"tools.{name}", ensure=False)
            self.consumers.append((queue, await queue.consume(self.on_call)))

    async def stop_consuming(self) -> None:
        stopping, self.consumers = self.consumers, []
        for queue, tag in stopping:
            await queue.cancel(tag)

    async def on_call(self, message: aio_pika.abc.AbstractIncomingMessage) -> None:
        self.keep(self.handle(message))

    def keep(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs it until it ends; a drain waits for it."""
        task = asyncio.ensure_future(work)
        self.handling.add(task)
        task.add_done_callback(self.handling.discard)

    async def handle(self, message: aio_pika.abc.AbstractIncomingMessage) -> None:
        try:
            envelope = json.loads(message.body)
            if envelope["type"] != "tool.call" or not envelope["version"].startswith("1."):
                raise ValueError
            body = envelope["body"]
            if body["tool_name"].split(".")[0] not in self.toolsets:
                raise ValueError
            tool = self.tools.get(body["tool_name"])
            call = tool and RunningCall(self.ledger, tool, body, self.never_started)
        except (ValueError, KeyError, TypeError, AttributeError):
            log.warning("unreadable message rejected")
            return await self.settle_delivery(message.reject)
        # A missing tool, or another major version: its driver sends the call again, or gives it up.
        is_other = tool and body.get("tool_version", tool.version).split(".")[0] != tool.version.split(".")[0]
        if call and not is_other and call.id not in self.calls:
            self.calls[call.id] = call
            try:
                await self.be_known()
                await call.handle()
            except Exception:  # the call stays in the queue's hands
                log.exception("handling a call failed")
                return
            finally:
                del self.calls[call.id]
            self.ended.append((call.toolset, time.monotonic()))
        await self.settle_delivery(message.ack)

    async def settle_delivery(self, settle: Any) -> None:
        try:
            await settle()
        except (*CONNECTION_EXCEPTIONS, asyncio.TimeoutError):
            pass  # its channel is gone, and the message comes again

    async def on_control(self, message: aio_pika.abc.AbstractIncomingMessage) -> None:
        try:
            envelope = json.loads(message.body)
            kind, body = envelope["type"], envelope["body"]
            call = self.calls.get(body.get("tool_call_id", ""))
            if kind == "ledger.answered":
                self.ledger.answered(body)
            elif kind == "tool.answered" and call:
                call.answered.set()
            elif kind == "tool.cancel" and call:
                call.stopped.set()
            elif kind == "tool.cancel":
                fields = {name: body[name] for name in ("tool_call_id", "turn_id", "stood_back") if name in body}
                started = body["tool_call_id"] not in self.never_started
                self.later(self.ledger.ask("cancel", started=started, **fields))
            elif kind == "catalog.roll_call":
                self.later(self.announce(body["reply_to"]))
        except (ValueError, KeyError, TypeError, AttributeError):
            log.warning("unreadable control message dropped")

    def later(self, work: Any) -> None:
        async def quietly() -> None:
            try:
                await work
            except Refused as error:
                log.warning("the ledger refused: %s", error)

        self.keep(quietly())

    async def announce(self, reply_to: str | None = None) -> None:
        offered = {} if self.is_drained or self.leaving.is_set() else self.toolsets
        toolsets = [self.describe(name, tools) for name, tools in offered.items()]
        await self.ledger.ask("announce", toolsets=toolsets, reply_to=reply_to)

    def describe(self, name: str, tools: list[Tool]) -> dict[str, Any]:
        about = {"name": name, "source": "local", "server": name, "version": "1.0.0", "concurrency": self.concurrency}
        return about | {"tools": [tool.definition(name) for tool in tools]}

    async def announce_often(self) -> None:
        while True:
            await asyncio.sleep(ANNOUNCE_S)
            await self.connected.wait()
            await self.announce()

    async def first_beat(self) -> None:
        if self.beaten_at is None:
            self.started_at, self.beats = now(), 0
            await self.send_beat()

    async def beat(self) -> None:
        await self.connected.wait()
        while not self.is_gone:
            await asyncio.sleep(BEAT_S)
            self.beats += 1
            await self.send_beat()

    async def send_beat(self) -> None:
        begun = (time.monotonic(), time.time())
        load = {"toolsets": {name: self.load_of(name) for name in self.toolsets}}
        about = {"host": socket.gethostname(), "version": VERSION, "started_at": self.started_at, "load": load}
        answer = await self.ledger.ask("beat", "beats", number=self.beats, toolsets=list(self.toolsets), **about)
        if answer["beat"]["known"] == "gone":
            log.error("others count this worker as dead")
            self.is_gone = True
            return
        async with self.beaten:
            self.beaten_at = begun
            self.beaten.notify_all()
        is_drained = any(row["kind"] == "process" for row in answer["beat"]["switches"])
        if is_drained != self.is_drained and self.connected.is_set():
            self.is_drained = is_drained
            await (self.stop_consuming() if is_drained else self.consume())
            await self.announce()

    def load_of(self, toolset: str) -> dict[str, Any]:
        running = sum(call.toolset == toolset for call in self.calls.values())
        self.ended = [(name, at) for name, at in self.ended if time.monotonic() - at < PACE_S]
        per_second = sum(name == toolset for name, _ in self.ended) / PACE_S
        return {"running": running, "slots": self.concurrency, "per_second": per_second}

    async def be_known(self) -> None:
        """Until a beat is young enough, also after this process stood still."""
        def is_known() -> bool:
            begun = self.beaten_at
            return begun is not None and max(time.monotonic() - begun[0], time.time() - begun[1]) <= KNOWN_TO_LIVE_S

        async with self.beaten:
            await self.beaten.wait_for(is_known)

    async def drain(self, drain_s: float) -> None:
        """Takes nothing more and ends what is in hand. What is not ended by then is another worker's."""
        for call in self.calls.values():
            call.gives_up_asking.set()
        farewell = [asyncio.ensure_future(work) for work in (self.stop_consuming(), self.announce())]
        await asyncio.wait([*farewell, *self.handling], timeout=drain_s)
        await asyncio.wait([asyncio.ensure_future(self.ledger.ask("leave"))], timeout=2)


def main(toolsets: dict[str, list[Tool]]) -> None:
    """Runs a worker with RABBITMQ_URL, WORKER_GROUP and TOOLSETS until SIGTERM or SIGINT."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    logging.getLogger("aiormq").setLevel(logging.CRITICAL)
    try:
        settings = read_settings(os.environ, list(toolsets))
        raise SystemExit(asyncio.run(work(settings, {name: toolsets[name] for name in settings.toolsets})))
    except SetupError as error:
        raise SystemExit(f"The worker cannot start: {error}.") from None


async def work(settings: Settings, toolsets: dict[str, list[Tool]]) -> int:
    worker = Worker(settings.url, settings.group, toolsets)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, worker.leave)
    return await worker.run(settings.drain_s)
