// Calls that the ruleset refuses: each client must hand the refusal to its caller as a result that says it is an error.

import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { guarded, served } from "../harness/routes.mjs";
import { played } from "../harness/session.mjs";

const SESSIONS = [
  ["v1", "legacy", "everything"],
  ["v1", "legacy", "filesystem"],
  ["v2", "legacy", "everything"],
  ["v2", "modern", "modern"],
  ["python", "legacy", "everything"],
  ["python", "legacy", "filesystem"],
  ["python", "modern", "modern"],
];

/** Under this key of `_meta` stands what became of a call. */
export const META = "io.knotrust/decision";

// What no model may read: the reasons of the policy itself.
const INTERNAL = /no_grant_|tier_cap_|envelope_|explicit_config_|grant_exceeds|reasonAdmin/;

// The same of one of several servers.
const SERVED = [
  ["v1", "legacy", "filesystem", "everything"],
  ["v2", "modern", "modern", "filesystem"],
  ["python", "legacy", "everything", "filesystem"],
];

export const denials = [...SESSIONS, ...SERVED].map(([client, era, server, other]) => ({
  title: `${client} (${era}), ${server}, denied${other ? `, served with ${other}` : ""}`,
  async run(group, scratch) {
    const place = await scratch.place();
    const script = `${server}-denied`;
    if (other) {
      await mkdir("workspace", { recursive: true });
    }
    const command = other ? served(server, other) : guarded(server, place);
    const record = await played(client, era, script, command, place);
    for (const { name, expect } of record.expected) {
      group.holds(name, objection(record.played[name], expect));
    }
    group.holds("no file was made or moved", madeOrMoved(place));
    group.holds("nothing is left behind", record.leftBehind.length > 0 && record.leftBehind.join("\n"));
  },
}));

function objection(outcome, { outcome: verdict, error, ...expected }) {
  const call = outcome.result?.came ?? outcome.result ?? outcome;
  if (error !== undefined) {
    return call.error?.code === error ? wrong(call.error.data?.[META], verdict, expected) : said(outcome);
  }
  if (call.result === undefined) {
    return `the client threw: ${said(outcome)}`;
  }
  if (verdict === "allow") {
    return call.result.isError ? said(outcome) : undefined;
  }
  return refusal(call.result, verdict, expected);
}

/** What is wrong with the result of a refused call. */
export function refusal(result, verdict, { structured, ...expected }) {
  if (result.isError !== true || result.content?.length !== 1 || result.content[0].type !== "text") {
    return said(result);
  }
  if (structured !== undefined && ("structuredContent" in result) !== structured) {
    return `${structured ? "no structured content" : "structured content"}: ${said(result)}`;
  }
  const texts = [parsed(result.content[0].text), result._meta?.[META]];
  return texts.map((block) => wrong(block, verdict, expected)).find((objection) => objection !== undefined);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}

function wrong(block, outcome, { requestable, ...expected }) {
  const other = Object.entries({ outcome, ...expected }).some(([name, value]) => block?.[name] !== value);
  const how = block?.requestable?.how ?? "";
  const asks = requestable === undefined || how.startsWith("knotrust grant ") === requestable;
  return other || !asks || INTERNAL.test(JSON.stringify(block)) ? said(block) : undefined;
}

function said(value) {
  return JSON.stringify(value);
}

function madeOrMoved({ workspace, folder }) {
  const made = [join(workspace, "a.lock"), join(workspace, "moved"), join(folder, "deleted")].filter(existsSync);
  return made.length > 0 && made.join("\n");
}
