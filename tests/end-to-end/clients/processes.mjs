// Processes that a run has started, found by a variable in their environment: whoever is left behind still has it.

import { readdir, readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

// A process that was just killed needs a moment to be gone.
const GRACE = 500;

/** The commands of the processes other than this one that carry the mark and are still there after a moment. */
export async function processesMarked(mark, grace = GRACE) {
  const deadline = performance.now() + grace;
  for (;;) {
    const left = await marked(mark);
    if (left.length === 0 || performance.now() > deadline) {
      return left;
    }
    await pause(20);
  }
}

async function marked(mark) {
  const ids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(ids.map((id) => commandIfMarked(id, mark)));
  return commands.filter((command) => command !== undefined);
}

async function commandIfMarked(id, mark) {
  if (Number(id) === process.pid) {
    return undefined;
  }
  try {
    const environment = await readFile(`/proc/${id}/environ`, "utf8");
    if (!environment.split("\0").includes(`END_TO_END_RUN=${mark}`)) {
      return undefined;
    }
    return (await readFile(`/proc/${id}/cmdline`, "utf8")).replaceAll("\0", " ").trim();
  } catch {
    return undefined; // It has gone meanwhile, or belongs to somebody else.
  }
}
