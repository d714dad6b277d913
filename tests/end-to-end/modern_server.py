"""A server of both eras: what the npm servers don't offer, most of all questions as `input_required`."""

import warnings
from pathlib import Path
from typing import Annotated

import anyio
import mcp_types as types
from mcp.server.mcpserver import (
    Context,
    Elicit,
    ElicitationResult,
    ListRoots,
    MCPServer,
    Resolve,
    Sample,
)
from pydantic import BaseModel

server = MCPServer("modern", title="A modern server", version="1", instructions="Ask for sums.")


class Sum(BaseModel):
    sum: int


class Choice(BaseModel):
    flavour: str
    scoops: int = 1


@server.tool(annotations=types.ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> Sum:
    """Adds two numbers."""
    return Sum(sum=a + b)


@server.tool(structured_output=False)
def echo(message: str) -> str:
    """Says the same."""
    return message


@server.tool(structured_output=False)
def fail() -> str:
    """Fails."""
    raise ValueError("as it should")


@server.tool(structured_output=False)
async def count(to: int, ctx: Context) -> str:
    """Counts, with progress and log messages."""
    for number in range(1, to + 1):
        await ctx.report_progress(number, to, f"{number} of {to}")
        await ctx.info(f"counted {number}")
        await anyio.sleep(0.01)
    return f"counted to {to}"


@server.tool(structured_output=False)
async def wait(steps: int, ctx: Context) -> str:
    """Waits, with progress."""
    for step in range(1, steps + 1):
        await ctx.report_progress(step, steps)
        await anyio.sleep(0.05)
    return "waited"


def flavour(dish: str) -> Elicit[Choice]:
    return Elicit(f"Which flavour of {dish}?", Choice)


@server.tool(structured_output=False)
def order(dish: str, choice: Annotated[ElicitationResult[Choice], Resolve(flavour)]) -> str:
    """Asks which flavour, and orders."""
    return f"{dish}: {choice.model_dump_json()}"


def rhyme() -> Sample:
    line = types.TextContent(type="text", text="A rhyme, please.")
    return Sample([types.SamplingMessage(role="user", content=line)], max_tokens=20)


@server.tool(structured_output=False)
def recite(sampled: Annotated[types.CreateMessageResult, Resolve(rhyme)]) -> str:
    """Asks the client's model."""
    return sampled.model_dump_json()


def folders() -> ListRoots:
    return ListRoots()


@server.tool(structured_output=False)
def look_around(roots: Annotated[types.ListRootsResult, Resolve(folders)]) -> str:
    """Asks for the client's roots."""
    return ", ".join(str(root.uri) for root in roots.roots)


@server.tool(structured_output=False)
def delete_note(name: str) -> str:
    """Deletes a note; a file in the home folder says so."""
    Path.home().joinpath(name).write_text("gone")
    return f"deleted {name}"


@server.tool(structured_output=False)
async def change(ctx: Context) -> str:
    """Says that the list of tools and a note have changed."""
    await ctx.notify_tools_changed()
    await ctx.notify_resource_updated("note://today")
    return "changed"


@server.resource("note://today", mime_type="text/plain")
def today() -> str:
    """Today's note."""
    return "Buy milk."


@server.resource("note://{day}", mime_type="text/plain")
def any_day(day: str) -> str:
    """The note of a day."""
    return f"Nothing on {day}."


@server.prompt()
def greet(name: str) -> str:
    """Greets."""
    return f"Say hello to {name}."


@server.completion()
async def complete(_reference, argument, _context) -> types.Completion:
    names = [name for name in ["Ada", "Alan", "Grace"] if name.startswith(argument.value)]
    return types.Completion(values=names)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    server.run()
