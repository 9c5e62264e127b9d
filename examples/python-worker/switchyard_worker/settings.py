"""What the environment sets, and what the broker refuses, as sentences for the person who starts the worker."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from aiormq import exceptions as broker

GROUP = re.compile(r"(?=.{1,20}\Z)[a-z0-9]+(-[a-z0-9]+)*")
DRAIN_MS = re.compile(r"[0-5]?[0-9]{1,5}|600000")
SECRET_PARTS = "special characters in its user and password must be percent-encoded"


class SetupError(Exception):
    """The worker cannot run as it is set up. The message says what to correct, and has no user or password."""


@dataclass
class Settings:
    url: str
    group: str
    toolsets: list[str]
    drain_s: float


def read_settings(environment: Mapping[str, str], offered: list[str]) -> Settings:
    """Raises `SetupError` with everything that is wrong."""
    url, group = environment.get("RABBITMQ_URL", ""), environment.get("WORKER_GROUP", "")
    toolsets = [name.strip() for name in environment.get("TOOLSETS", "").split(",") if name.strip()] or offered
    missing = [name for name in toolsets if name not in offered]
    drain_ms = environment.get("DRAIN_GRACE_MS") or "10000"
    wrong = {
        "RABBITMQ_URL must be set": not url,
        f"RABBITMQ_URL must look like amqp://user:password@host:5672/vhost; {SECRET_PARTS}": url and not is_url(url),
        "WORKER_GROUP must be set": not group,
        "WORKER_GROUP must be the name of a group (a-z, 0-9, -)": group and not GROUP.fullmatch(group),
        f"TOOLSETS names {', '.join(missing)}, which this worker does not have": missing,
        "DRAIN_GRACE_MS must be a whole number from 0 to 600000": not DRAIN_MS.fullmatch(drain_ms),
        "MONGODB_URL is set, but a worker of a group has no store: unset it": environment.get("MONGODB_URL"),
    }
    problems = [text for text, is_wrong in wrong.items() if is_wrong]
    if problems:
        raise SetupError("; ".join(problems))
    return Settings(url, group, toolsets, int(drain_ms) / 1000)


def is_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        # An @ behind the host: a slash or # of the password has ended the host too early.
        is_whole = "@" not in parts.path + parts.query + parts.fragment
        return is_whole and parts.scheme in ("amqp", "amqps") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def explain(url: str, group: str, error: BaseException) -> str:
    """Refusals are told without the broker's text, which names the user."""
    parts = urlsplit(url)
    port = parts.port or (5671 if parts.scheme == "amqps" else 5672)
    place = f"the broker at {parts.hostname}:{port}"
    # aiormq reports a refused virtual host only in this text.
    if isinstance(error, broker.ConnectionNotAllowed) or "Connection.OpenOk" in str(error):
        return f"{place} refuses the virtual host: correct the path of RABBITMQ_URL, or the rights of its user"
    match error:
        case broker.AuthenticationError() | broker.ProbableAuthenticationError():
            return f"{place} refuses the user name or password: correct RABBITMQ_URL; {SECRET_PARTS}"
        case broker.ChannelAccessRefused():
            rights = "correct WORKER_GROUP or TOOLSETS, or the rights (`switchyard groups` prints them)"
            return f"{place} refuses this user the names of the group {group}: {rights}"
        case broker.ChannelNotFoundEntity():
            return f"{place} has no names of the group {group}: name it and its toolsets in CONFIG of the orchestrators"
        case asyncio.TimeoutError():
            return f"{place} does not answer: start it, or correct host and port in RABBITMQ_URL"
    reason = str(error) or type(error).__name__
    return f"{place} cannot be used ({reason}): start it, or correct RABBITMQ_URL"
