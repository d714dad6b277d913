// A real browser, driven over its debugging pipe: pages, and an authenticator that exists in its memory alone.

import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const LONGEST = 20_000;

export class Browser {
  #child;
  #folder;
  #waiting = new Map();
  #count = 0;
  #listeners = new Set();

  /** Starts the browser that CHROMIUM names. */
  static async start() {
    const folder = await mkdtemp(join(tmpdir(), "knotrust-browser-"));
    return new Browser(folder);
  }

  constructor(folder) {
    this.#folder = folder;
    this.#child = spawn(process.env.CHROMIUM ?? "chromium", [
      ...["--headless=new", "--remote-debugging-pipe", `--user-data-dir=${folder}`],
      ...["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-gpu"],
      // A name of somebody else's that leads to this machine, as after DNS rebinding.
      "--host-resolver-rules=MAP rebound.test 127.0.0.1",
      // There is no other user to be shut out here, and none of the pages is anybody else's.
      "--no-sandbox",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    let rest = "";
    this.#child.stdio[4].setEncoding("utf8").on("data", (text) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop();
      messages.forEach((message) => this.#take(JSON.parse(message)));
    });
  }

  /** A tab of its own, with nothing shared with others. */
  async tab({ dark = false, width = 900, height = 1000 } = {}) {
    const { browserContextId } = await this.send("Target.createBrowserContext");
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank", browserContextId });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const tab = new Tab(this, sessionId, { width, height });
    await Promise.all(["Page", "Runtime", "Network"].map((domain) => tab.send(`${domain}.enable`)));
    await tab.resize({ width, height });
    const features = [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }];
    await tab.send("Emulation.setEmulatedMedia", { features });
    return tab;
  }

  send(method, params = {}, sessionId) {
    this.#count += 1;
    const id = this.#count;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method} was not answered`)), LONGEST);
      this.#waiting.set(id, { method, resolve, reject, timer });
      this.#child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  listen(listener) {
    this.#listeners.add(listener);
  }

  #take({ id, method, params, result, error, sessionId }) {
    if (id === undefined) {
      this.#listeners.forEach((listener) => listener({ method, params, sessionId }));
      return;
    }
    const { method: asked, resolve, reject, timer } = this.#waiting.get(id);
    clearTimeout(timer);
    this.#waiting.delete(id);
    error === undefined ? resolve(result) : reject(new Error(`${asked}: ${error.message}`));
  }

  async close() {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.send("Browser.close").catch(() => {});
    await Promise.race([ended, pause(3000).then(() => this.#child.kill("SIGKILL"))]);
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Tab {
  /** What the page asked for, and what it complained of. */
  requests = [];
  complaints = [];

  constructor(browser, sessionId, size) {
    this.browser = browser;
    this.size = size;
    this.sessionId = sessionId;
    browser.listen(({ method, params, sessionId: from }) => {
      if (from !== sessionId) {
        return;
      }
      if (method === "Network.requestWillBeSent") {
        this.requests.push(params.request.url);
      } else if (method === "Runtime.exceptionThrown") {
        this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      } else if (method === "Runtime.consoleAPICalled") {
        this.complaints.push(params.args.map(({ value }) => value).join(" "));
      }
    });
  }

  send(method, params) {
    return this.browser.send(method, params, this.sessionId);
  }

  resize({ width, height }) {
    const mobile = width < 500;
    return this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
  }

  /** Goes to an address; what became of it is on the page. */
  async open(url) {
    const { errorText } = await this.send("Page.navigate", { url });
    await this.until("document.readyState === 'complete'");
    return errorText;
  }

  /** What an expression comes to in the page. */
  async value(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (exceptionDetails) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value;
  }

  /** Waits for a condition of the page; while it loads another one, nothing can be said. */
  async until(condition) {
    const deadline = performance.now() + LONGEST;
    while (performance.now() < deadline) {
      if (await this.value(condition).catch(() => false)) {
        return;
      }
      await pause(25);
    }
    throw new Error(`never came true: ${condition}\n${await this.text().catch(() => "")}`);
  }

  text() {
    return this.value("document.body.innerText");
  }

  /** Presses a button as a person does, and waits for the page that comes of it. */
  async press(value) {
    await this.value("window.pressedHere = true");
    await this.value(`document.querySelector('button[value="${value}"]').click()`);
    await this.until("window.pressedHere === undefined && document.readyState === 'complete'");
  }

  /** Presses a key, as on a keyboard. */
  async key(key, modifiers = 0) {
    const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
    const code = { Tab: 9, Enter: 13, " ": 32 }[key];
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, text, modifiers, windowsVirtualKeyCode: code });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, modifiers, windowsVirtualKeyCode: code });
  }

  /** Plugs an authenticator in, with a passkey on it if one is given. */
  async authenticator({ verifies = true, passkey } = {}) {
    await this.send("WebAuthn.enable");
    const { authenticatorId } = await this.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: verifies,
        automaticPresenceSimulation: true,
      },
    });
    if (passkey) {
      await this.send("WebAuthn.addCredential", { authenticatorId, credential: passkey });
    }
    return authenticatorId;
  }

  /** A picture of the page, kept where ARTIFACTS says. */
  async picture(name) {
    if (!process.env.ARTIFACTS) {
      return;
    }
    // The window is made as tall as the page: what sticks to its end would cover something else.
    const { cssContentSize } = await this.send("Page.getLayoutMetrics");
    const size = { width: this.size.width, height: Math.ceil(cssContentSize.height) };
    await this.resize(size);
    const { data } = await this.send("Page.captureScreenshot");
    await writeFile(join(process.env.ARTIFACTS, `${name}.png`), Buffer.from(data, "base64"));
    await this.resize(this.size);
  }
}
