// Whole sessions of real clients with `knotrust serve`: what one of its servers gives must be what that server gives alone.

import { mkdir } from "node:fs/promises";

import { difference, settled } from "../harness/compare.mjs";
import { direct, served } from "../harness/routes.mjs";
import { played } from "../harness/session.mjs";

// Client, era, the server whose script is played, and the other one.
const SESSIONS = [
  ["v1", "legacy", "everything", "filesystem"],
  ["v1", "legacy", "filesystem", "everything"],
  ["v2", "legacy", "everything", "filesystem"],
  ["v2", "auto", "modern", "filesystem"],
  ["python", "legacy", "everything", "filesystem"],
  ["python", "legacy", "filesystem", "everything"],
  ["python", "modern", "modern", "filesystem"],
];

// What is different on purpose: a list that one server has not got, two may have, and who is asked for a prompt that
// nobody has, says so as the protocol wants it.
const OTHERWISE = new Set(["a list that the server doesn't have", "no such prompt"]);

export const servings = SESSIONS.map(([client, era, server, other]) => ({
  title: `${client} (${era}), ${server}, served with ${other}`,
  async run(group, scratch) {
    // The ruleset pins this folder; clients that have roots name another.
    await mkdir("workspace", { recursive: true });
    const places = [await scratch.place(), await scratch.place()];
    const commands = [direct(server, places[0]), served(server, other)];
    const records = await Promise.all(
      commands.map((command, index) => played(client, era, server, command, places[index])),
    );
    const [before, after] = records.map(({ played }, index) => settled(played, places[index]));
    for (const name of Object.keys(before).filter((name) => !OTHERWISE.has(name))) {
      group.holds(name, objection(before[name], after[name]));
    }
    const { leftBehind } = records[1];
    group.holds("nothing is left behind", leftBehind.length > 0 && leftBehind.join("\n"));
  },
}));

// A list of two servers holds the list of the one.
function objection(before, after) {
  const kind = ["tools", "prompts", "resources", "resourceTemplates"].find((kind) => before?.result?.[kind]);
  if (kind === undefined) {
    return difference(before, after);
  }
  const name = (item) => item.uri ?? item.uriTemplate ?? item.name;
  const found = new Map((after?.result?.[kind] ?? []).map((item) => [name(item), item]));
  return before.result[kind]
    .filter((item) => item.execution?.taskSupport !== "required")
    .map(({ execution, ...item }) => difference(item, found.get(name(item)), name(item)))
    .find((difference) => difference !== undefined);
}
