// A scratch folder for the whole run, and in it one for each session: nothing of a session is seen by another.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Scratch {
  #root;
  #count = 0;

  static async make() {
    return new Scratch(await mkdtemp(join(tmpdir(), "knotrust-end-to-end-")));
  }

  constructor(root) {
    this.#root = root;
  }

  /** A place of its own for one session. */
  async place() {
    this.#count += 1;
    const folder = join(this.#root, String(this.#count));
    const home = join(folder, "home");
    const workspace = join(folder, "workspace");
    await mkdir(home, { recursive: true, mode: 0o700 });
    await furnish(workspace);
    return { folder, home, workspace, mark: folder };
  }

  async remove() {
    await rm(this.#root, { recursive: true, force: true });
  }

  toString() {
    return this.#root;
  }
}

async function furnish(workspace) {
  await mkdir(join(workspace, "notes"), { recursive: true });
  await mkdir(join(workspace, "private"));
  await writeFile(join(workspace, "notes", "today.txt"), "Buy milk.\nCall Ada.\n");
  await writeFile(join(workspace, "private", "key.txt"), "not for agents\n");
  await writeFile(join(workspace, "large.txt"), "A line of some forty characters, repeated.\n".repeat(50_000));
}
