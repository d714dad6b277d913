// Starts a program and waits for it, its output in files: a process that it leaves behind can't keep us waiting.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";

// No session takes as long: one that does is stuck.
const LONGEST = 240_000;

let count = 0;

/** Runs `command` in a place, marked so that whatever it leaves behind can be found. */
export async function run([program, ...args], place, environment = {}) {
  count += 1;
  const base = join(place.folder, String(count));
  const path = (kind) => `${base}.${kind}`;
  const [out, err] = await Promise.all([open(path("out"), "w"), open(path("err"), "w")]);
  const child = spawn(program, args, {
    env: { ...process.env, ...ownEnvironment(place), ...environment },
    stdio: ["ignore", out.fd, err.fd],
    timeout: LONGEST,
  });
  const [code, signal] = await once(child, "exit");
  await Promise.all([out.close(), err.close()]);
  return {
    code: code ?? signal,
    out: await readFile(path("out"), "utf8"),
    err: await readFile(path("err"), "utf8"),
  };
}

/** What a session's processes find in their environment. */
export function ownEnvironment({ home, mark, folder }) {
  return { KNOTRUST_HOME: home, END_TO_END_RUN: mark, HOME: folder };
}

/** The same for the inspector, which hands on to servers only what it is told to. */
export function variables(place) {
  return Object.entries(ownEnvironment(place)).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
}
