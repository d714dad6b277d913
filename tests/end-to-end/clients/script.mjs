// What a client does, step by step, and all that it was given for it.
//
// A script is data, so that every client can play the same one: `scripts/*.json`, read here and by `sdk.py`. A step names
// one request (`call`, `list`, `read`, …) or something to wait for (`await`). What comes of it is recorded as the client
// hands it to its caller; beside that, `heard` holds every message as it came in.

import { readFile, writeFile } from "node:fs/promises";
import { once, setMaxListeners } from "node:events";
import { parseArgs } from "node:util";

import { processesMarked } from "./processes.mjs";

// Longer than any step takes on a busy machine, so that what is missing is reported as missing.
const PATIENCE = 60_000;

/** Reads the command line of a client: `--script FILE --record FILE [--set name=value]… [--era ERA] -- COMMAND…`. */
export function commandLine() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      script: { type: "string" },
      record: { type: "string" },
      era: { type: "string", default: "legacy" },
      set: { type: "string", multiple: true, default: [] },
    },
  });
  const [command, ...args] = positionals;
  return { ...values, command, args };
}

/** Everything that the client's transport brings in, in order, with a way to wait for some of it. */
export class Ear {
  heard = [];
  #arrivals = new EventTarget();

  constructor() {
    setMaxListeners(0, this.#arrivals);
  }

  /** Listens in on a transport before a client connects to it: clients call the handler that was there first. */
  on(transport) {
    transport.onmessage = (message) => {
      this.heard.push(structuredClone(message));
      this.#arrivals.dispatchEvent(new Event("arrival"));
    };
  }

  /** Whether `times` messages with the method have come in, now or before patience ends. */
  async hears(method, times) {
    const signal = AbortSignal.timeout(PATIENCE);
    while (this.heard.filter((message) => message.method === method).length < times) {
      try {
        await once(this.#arrivals, "arrival", { signal });
      } catch {
        return false;
      }
    }
    return true;
  }
}

/** Plays a script with a client that `open` connects, and records what came of it. */
export async function play(open) {
  const line = commandLine();
  const { steps, roots } = JSON.parse(settle(await readFile(line.script, "utf8"), line.set));
  const ear = new Ear();
  const answers = new Answers(roots);
  const peer = await open({ ...line, ear, answers });
  const played = {};
  const kept = {};
  for (const written of steps.filter(({ era }) => era === undefined || era === peer.era())) {
    const step = withKept(written, kept);
    answers.next = step.answer;
    played[step.name] = await outcome(() => perform(step, peer, ear, answers));
    keep(step, played[step.name], kept);
  }
  const introduction = peer.introduction();
  const started = performance.now();
  await peer.close();
  const closedIn = Math.round(performance.now() - started);
  const expected = steps.filter(({ expect }) => expect !== undefined);
  const record = { introduction, played, expected, heard: ear.heard, closedIn };
  record.leftBehind = await processesMarked(process.env.END_TO_END_RUN);
  await writeFile(line.record, JSON.stringify(record));
}

/** What the client answers when the server asks. */
export class Answers {
  next;

  constructor(roots = [{ uri: "file:///srv/project", name: "project" }]) {
    this.roots = roots;
  }

  sampled() {
    return {
      role: "assistant",
      model: "scripted",
      stopReason: "endTurn",
      content: { type: "text", text: "one two three" },
    };
  }

  elicited() {
    return this.next ?? { action: "cancel" };
  }
}

function settle(text, settings) {
  for (const setting of settings) {
    const [name, ...value] = setting.split("=");
    text = text.replaceAll(`\${${name}}`, value.join("="));
  }
  return text.replaceAll("${long}", "0123456789".repeat(20_000));
}

// A step may use what an earlier one has kept of its result.
function withKept(step, kept) {
  const text = JSON.stringify(step);
  return JSON.parse(text.replace(/\$\{kept:(\w+)\}/g, (_, name) => kept[name]));
}

function keep({ keep = {} }, { result }, kept) {
  for (const [name, path] of Object.entries(keep)) {
    kept[name] = path.reduce((value, member) => value?.[member], result);
  }
}

async function outcome(action) {
  try {
    return { result: (await action()) ?? null };
  } catch (error) {
    return { error: { code: error.code, message: error.message, data: error.data } };
  }
}

async function perform(step, peer, ear, answers) {
  if ("await" in step) {
    return { came: await ear.hears(step.await, step.times ?? 1) };
  }
  if ("call" in step) {
    return call(step, peer);
  }
  if ("together" in step) {
    return together(step.together, peer);
  }
  if ("roots" in step) {
    answers.roots = step.roots;
    return peer.rootsChanged();
  }
  const verb = ["list", "read", "subscribe", "unsubscribe", "complete", "level", "ping", "listen", "raw"]
    .find((verb) => verb in step);
  if (verb) {
    return peer[verb](step[verb]);
  }
  return peer.prompt(step.prompt, step.arguments);
}

async function call(step, peer) {
  let progressed = 0;
  const giveUp = new AbortController();
  const options = { timeout: PATIENCE, signal: giveUp.signal };
  if (step.progress) {
    options.onprogress = () => {
      progressed += 1;
      if (progressed === step.abandon) {
        giveUp.abort("enough");
      }
    };
  }
  const came = await outcome(() => peer.call({ name: step.call, arguments: step.arguments }, options));
  // A client may end a call before it has handed on the last progress: what came in is in `heard`.
  return step.progress ? { came, progressed: progressed > 0 } : came;
}

async function together({ call, times }, peer) {
  const calls = Array.from({ length: times }, (_, index) =>
    peer.call({ name: call, arguments: { message: `message ${index}` } }, { timeout: PATIENCE }));
  return Promise.all(calls);
}
