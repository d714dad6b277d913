// One session: a client plays a script with a server.

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { run } from "./start.mjs";

const CLIENTS = {
  v1: ["node", "clients/v1.mjs"],
  v2: ["node", "clients/v2.mjs"],
  python: ["python3", "clients/sdk.py"],
};

/** Plays `scripts/SCRIPT.json` with the server that `command` starts, and returns the client's record. */
export async function played(client, era, script, command, place) {
  const record = join(place.folder, "record.json");
  const { code, err } = await run([
    ...CLIENTS[client],
    ...["--script", `scripts/${script}.json`],
    ...["--record", record],
    ...["--era", era],
    ...["--set", `workspace=${place.workspace}`],
    ...["--set", `home=${place.home}`],
    "--",
    ...command,
  ], place);
  if (code !== 0) {
    throw new Error(`${client} with ${command.join(" ")} ended with ${code}\n${lastLines(err)}`);
  }
  return { ...JSON.parse(await readFile(record, "utf8")), err };
}

function lastLines(text) {
  return text.trimEnd().split("\n").slice(-12).join("\n");
}
