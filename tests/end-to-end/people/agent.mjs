// An agent that talks to the bank through knotrust, and what its person sees of it.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

import { ownEnvironment } from "../harness/start.mjs";

const LONGEST = 30_000;

export class Agent {
  /** All that stood on standard error. */
  said = "";
  #answers = new Map();
  #count = 1;

  static async start(program, place) {
    const agent = new Agent(program, place);
    await agent.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "agent", version: "1.0.0" },
    });
    agent.#send({ method: "notifications/initialized" });
    return agent;
  }

  constructor(program, place) {
    this.place = place;
    this.calls = join(place.folder, "calls");
    this.child = spawn(program, ["--server", "bank", "--", "node", "people/bank.mjs"], {
      env: { ...process.env, ...ownEnvironment(place), CALLS: this.calls, KNOTRUST_AGENT: "agent" },
      stdio: ["pipe", "pipe", "pipe"],
    });
    // Whoever was killed reads no more; that it does not answer is seen anyway.
    this.child.stdin.on("error", () => {});
    this.child.stderr.setEncoding("utf8").on("data", (text) => (this.said += text));
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      this.#answers.get(message.id)?.(message);
    });
  }

  request(method, params) {
    const id = this.#count++;
    const answer = new Promise((resolve, reject) => {
      this.#answers.set(id, resolve);
      setTimeout(() => reject(new Error(`${method} was not answered: ${this.said}`)), LONGEST).unref();
    });
    this.#send({ id, method, params });
    return answer;
  }

  /** Calls a tool; whether it was let through, with what was answered. */
  async call(name, args) {
    const { result, error } = await this.request("tools/call", { name, arguments: args });
    return { passed: result !== undefined && result.isError !== true, result, error };
  }

  /** Calls a tool that waits for a person: what will be answered, and where it is shown. */
  async ask(name, args) {
    const before = this.said.length;
    const answer = this.call(name, args);
    const shown = /open {8}(http:\S+)/;
    const deadline = performance.now() + LONGEST;
    while (!shown.test(this.said.slice(before)) && performance.now() < deadline) {
      await pause(10);
    }
    const said = this.said.slice(before);
    return { answer, url: shown.exec(said)?.[1], id: /show (apr_\w+)/.exec(said)?.[1], said };
  }

  /** The calls that have reached the bank. */
  done() {
    const text = existsSync(this.calls) ? readFileSync(this.calls, "utf8") : "";
    return text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  }

  async end() {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.stdin.end();
    await ended;
  }

  #send(message) {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}
