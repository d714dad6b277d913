// Whole sessions of real clients with real servers, directly and through knotrust: both must be given the same.

import { difference, settled, sorted } from "../harness/compare.mjs";
import { WAYS, direct } from "../harness/routes.mjs";
import { played } from "../harness/session.mjs";

// Client, era, server, the way to name the server, and the script if it isn't the server's own.
const SESSIONS = [
  ["v1", "legacy", "everything", "pinned"],
  ["v1", "legacy", "everything", "named", "tasks"],
  ["v1", "legacy", "filesystem", "named"],
  ["v1", "legacy", "modern", "recognised"],
  ["v2", "legacy", "everything", "recognised"],
  ["v2", "auto", "everything", "named"],
  ["v2", "legacy", "filesystem", "named"],
  ["v2", "legacy", "modern", "named"],
  ["v2", "auto", "modern", "named"],
  ["v2", "modern", "modern", "pinned"],
  ["python", "legacy", "everything", "named"],
  ["python", "auto", "everything", "named"],
  ["python", "legacy", "filesystem", "named"],
  ["python", "legacy", "modern", "named"],
  ["python", "auto", "modern", "named"],
  ["python", "modern", "modern", "recognised"],
];

// Clients wait 2 s before they kill a server that doesn't end by itself.
const SLOWER = 1500;

export const sessions = SESSIONS.map(([client, era, server, way, script = server]) => ({
  title: `${client} (${era}), ${script}, ${way}`,
  async run(group, scratch) {
    const places = [await scratch.place(), await scratch.place()];
    const commands = [direct(server, places[0]), WAYS[way](server, places[1])];
    const records = await Promise.all(
      commands.map((command, index) => played(client, era, script, command, places[index])),
    );
    same(group, records, places);
    shutDown(group, records);
  },
}));

function same(group, records, places) {
  const [before, after] = records.map(({ introduction, played, heard }, index) =>
    settled({ introduction, played, heard: sorted(heard) }, places[index]));
  group.holds("the introduction", difference(before.introduction, after.introduction));
  for (const part of ["played", "heard"]) {
    for (const name of new Set([...Object.keys(before[part]), ...Object.keys(after[part])])) {
      group.holds(name, difference(before[part][name], after[part][name]));
    }
  }
  const missing = Object.entries(before.played).filter(([, outcome]) => outcome.result?.came === false);
  for (const [name] of missing) {
    group.fails(name, "the server itself sends nothing of the kind: the script is wrong");
  }
}

function shutDown(group, [before, after]) {
  group.holds("nothing is left behind", after.leftBehind.length > 0 && after.leftBehind.join("\n"));
  const slow = after.closedIn > before.closedIn + SLOWER;
  group.holds("closing is quick", slow && `${before.closedIn} ms directly, ${after.closedIn} ms through knotrust`);
}
