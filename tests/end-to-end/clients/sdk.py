"""The Python SDK, in either era of the protocol: plays the scripts that `script.mjs` describes."""

import argparse
import asyncio
import copy
import json
import os
import sys
import time
import warnings
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

# Longer than any step takes on a busy machine, so that what is missing is reported as missing.
PATIENCE = 60
# A process that was just killed needs a moment to be gone.
GRACE = 0.5
# SDK clients hand on a few variables only. These are the suite's own, and the server must see them.
OWN = ["END_TO_END_RUN", "KNOTRUST_HOME"]
MODES = {"legacy": "legacy", "auto": "auto", "modern": "2026-07-28"}


async def main():
    line = command_line()
    script = json.loads(settle(Path(line.script).read_text(), line.set))
    ear = Ear()
    peer = Peer(ear, script.get("roots"))
    played = {}
    async with peer.connected(line):
        introduction = peer.introduction()
        for step in script["steps"]:
            if step.get("era", peer.era()) != peer.era():
                continue
            peer.answer = step.get("answer")
            played[step["name"]] = await outcome(peer.perform, step)
        started = time.monotonic()
    record = {
        "introduction": introduction,
        "played": played,
        "expected": [step for step in script["steps"] if "expect" in step],
        "heard": ear.heard,
        "closedIn": round((time.monotonic() - started) * 1000),
        "leftBehind": await left_behind(os.environ["END_TO_END_RUN"]),
    }
    Path(line.record).write_text(json.dumps(record))


def command_line():
    parser = argparse.ArgumentParser()
    parser.add_argument("--script", required=True)
    parser.add_argument("--record", required=True)
    parser.add_argument("--era", default="legacy")
    parser.add_argument("--set", action="append", default=[])
    # Not left to the parser, which would take the dashes inside the command for its own.
    dashes = sys.argv.index("--")
    line = parser.parse_args(sys.argv[1:dashes])
    line.command, *line.args = sys.argv[dashes + 1 :]
    return line


def settle(text, settings):
    for setting in settings:
        name, value = setting.split("=", 1)
        text = text.replace("${" + name + "}", value)
    return text.replace("${long}", "0123456789" * 20_000)


async def outcome(action, *arguments):
    try:
        return {"result": plain(await action(*arguments))}
    except MCPError as error:
        return {"error": {"code": error.code, "message": error.message, "data": plain(error.data)}}
    except Exception as error:  # What a client throws is what is compared.
        return {"error": {"code": type(error).__name__, "message": str(error)}}


def plain(value):
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value


class Ear:
    """Every message as it came in, in order, with a way to wait for some of it."""

    def __init__(self):
        self.heard = []
        self._arrival = anyio.Event()

    @asynccontextmanager
    async def on(self, transport):
        """Listens in on a transport."""
        async with transport as (reader, writer):
            yield Overheard(reader, self), writer

    def add(self, item):
        if not isinstance(item, Exception):
            self.heard.append(copy.deepcopy(plain(item.message)))
        arrival, self._arrival = self._arrival, anyio.Event()
        arrival.set()

    async def hears(self, method, times):
        with anyio.move_on_after(PATIENCE):
            while sum(message.get("method") == method for message in self.heard) < times:
                await self._arrival.wait()
            return True
        return False


class Overheard:
    """The reading end of a transport, with an ear on it."""

    def __init__(self, reader, ear):
        self._reader = reader
        self._ear = ear

    async def receive(self):
        item = await self._reader.receive()
        self._ear.add(item)
        return item

    async def __anext__(self):
        item = await self._reader.__anext__()
        self._ear.add(item)
        return item

    async def aclose(self):
        await self._reader.aclose()

    def __aiter__(self):
        return self

    async def __aenter__(self):
        await self._reader.__aenter__()
        return self

    async def __aexit__(self, *reason):
        return await self._reader.__aexit__(*reason)


class Peer:
    """What a step asks of a client, and what the client answers when the server asks."""

    def __init__(self, ear, roots):
        self.ear = ear
        self.answer = None
        self.roots = roots or [{"uri": "file:///srv/project", "name": "project"}]

    @asynccontextmanager
    async def connected(self, line):
        own = {name: os.environ[name] for name in OWN if name in os.environ}
        server = StdioServerParameters(command=line.command, args=line.args, env=own)
        client = Client(
            self.ear.on(stdio_client(server)),
            mode=MODES[line.era],
            client_info=types.Implementation(name="end-to-end", version="1"),
            read_timeout_seconds=PATIENCE,
            sampling_callback=self.sampled,
            elicitation_callback=self.elicited,
            list_roots_callback=self.listed,
            log_level=None if line.era == "legacy" else "debug",
            cache=None,
        )
        async with client as self.client:
            yield

    async def sampled(self, _context, _params):
        return types.CreateMessageResult(
            role="assistant",
            model="scripted",
            stop_reason="endTurn",
            content=types.TextContent(type="text", text="one two three"),
        )

    async def elicited(self, _context, _params):
        return types.ElicitResult.model_validate(self.answer or {"action": "cancel"})

    async def listed(self, _context):
        return types.ListRootsResult.model_validate({"roots": self.roots})

    def introduction(self):
        return {
            "server": plain(self.client.server_info),
            "capabilities": plain(self.client.server_capabilities),
            "instructions": self.client.instructions,
            "era": self.era(),
        }

    def era(self):
        return "modern" if self.client.protocol_version >= "2026" else "legacy"

    async def perform(self, step):
        match step:
            case {"await": method}:
                return {"came": await self.ear.hears(method, step.get("times", 1))}
            case {"call": name}:
                return await self.call(name, step)
            case {"together": {"call": name, "times": times}}:
                return await self.together(name, times)
            case {"roots": roots}:
                self.roots = roots
                return await self.client.send_roots_list_changed()
            case {"list": "tools"}:
                return await self.client.list_tools()
            case {"list": "resources"}:
                return await self.client.list_resources()
            case {"list": "templates"}:
                return await self.client.list_resource_templates()
            case {"list": "prompts"}:
                return await self.client.list_prompts()
            case {"read": uri}:
                return await self.client.read_resource(uri)
            case {"subscribe": uri}:
                return await self.client.subscribe_resource(uri)
            case {"unsubscribe": uri}:
                return await self.client.unsubscribe_resource(uri)
            case {"prompt": name}:
                return await self.client.get_prompt(name, step["arguments"])
            case {"complete": params}:
                return await self.complete(params)
            case {"level": level}:
                return await self.client.set_logging_level(level)
            case {"ping": _}:
                return await self.client.send_ping()
            case {"listen": wanted}:
                return await self.listen(wanted)
        raise ValueError(f"no such step: {step}")

    async def call(self, name, step):
        if not step.get("progress"):
            return await outcome(self.client.call_tool, name, step["arguments"])
        progressed = 0
        enough = anyio.Event()

        async def progress(*_update):
            nonlocal progressed
            progressed += 1
            if progressed == step.get("abandon"):
                enough.set()

        async def whole():
            return await self.client.call_tool(name, step["arguments"], progress_callback=progress)

        if "abandon" in step:
            came = await until(enough, whole)
        else:
            came = await outcome(whole)
        return {"came": came, "progressed": progressed > 0}

    async def together(self, name, times):
        calls = [self.client.call_tool(name, {"message": f"message {index}"}) for index in range(times)]
        return plain(await asyncio.gather(*calls))

    async def complete(self, params):
        kinds = {"ref/prompt": types.PromptReference, "ref/resource": types.ResourceTemplateReference}
        ref = kinds[params["ref"]["type"]].model_validate(params["ref"])
        context = params.get("context", {}).get("arguments")
        return await self.client.complete(ref, params["argument"], context)

    async def listen(self, wanted):
        self.listening = self.client.listen(
            tools_list_changed=wanted.get("toolsListChanged", False),
            resource_subscriptions=wanted.get("resourceSubscriptions", ()),
        )
        return plain((await self.listening.__aenter__()).honored)


async def until(event, action):
    """The outcome of an action that is given up when the event is set."""
    came = "given up"
    async with anyio.create_task_group() as group:

        async def run():
            nonlocal came
            came = await outcome(action)
            group.cancel_scope.cancel()

        group.start_soon(run)
        await event.wait()
        group.cancel_scope.cancel()
    return came


async def left_behind(mark):
    """The commands of other processes that carry the mark and are still there after a moment."""
    deadline = time.monotonic() + GRACE
    while (left := marked(mark)) and time.monotonic() < deadline:
        await anyio.sleep(0.02)
    return left


def marked(mark):
    wanted = f"END_TO_END_RUN={mark}".encode()
    left = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if folder.name != str(os.getpid()) and wanted in (folder / "environ").read_bytes().split(b"\0"):
                left.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip())
        except OSError:
            continue  # It has gone meanwhile, or belongs to somebody else.
    return left


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    asyncio.run(main())
