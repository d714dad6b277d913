// People and their browsers: who says yes, how, and who only pretends to.

import { spawn } from "node:child_process";
import { createPrivateKey, sign } from "node:crypto";
import { once } from "node:events";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

import { Browser } from "../harness/browser.mjs";
import { people } from "../harness/settings.mjs";
import { ownEnvironment, run } from "../harness/start.mjs";
import { Agent } from "../people/agent.mjs";

const PASSKEY = JSON.parse(readFileSync("people/passkey.json", "utf8"));
const PIN = "correct horse battery";

const MONEY = { to: "DE89370400440532013000", amount: 42000, memo: "rent for May" };

const scenes = {
  async "a passkey approves, by the very call"({ group, agent, browser, place }) {
    const { answer, url, id } = await agent.ask("transfer", MONEY);
    const tab = await browser.tab();
    await tab.authenticator({ passkey: PASSKEY });
    await tab.open(url);
    await tab.picture("a-call-waits");
    const text = await tab.text();
    for (const part of ["transfer", "bank", "critical", "42000", MONEY.to, "agent"]) {
      group.holds(`the page shows ${part}`, !text.includes(part) && text);
    }
    group.holds("the time runs down", /^1[45]:\d\d/.test(await countdown(tab)) ? undefined : await countdown(tab));
    await tab.press("approve");
    await tab.picture("approved");
    group.holds("the page says so", !(await tab.text()).includes("This call was approved") && (await tab.text()));
    group.holds("the call goes on", !(await answer).passed && said(await answer));
    group.holds("once", agent.done().length !== 1 && said(agent.done()));
    const consent = event(place, "approval_approved", id)?.consent;
    group.holds("the signature is in the log", consent?.kind !== "passkey" && said(consent));
    group.holds("nothing else was asked for", tab.requests.some((asked) => asked !== url) && said(tab.requests));
    group.holds("nothing was complained of", tab.complaints.length > 0 && said(tab.complaints));

    const verified = await run([people.passkey, "audit", "verify"], place);
    group.holds("and verified again", !verified.out.includes("consents: 1 hold") && verified.out);
    const elsewhere = await run([people.session, "audit", "verify"], place);
    group.holds("not by another policy", !elsewhere.out.includes("1 were given under another policy") && elsewhere.out);

    const again = await agent.ask("transfer", MONEY);
    group.holds("the same call asks anew", again.id === id && again.said);
    await tab.open(again.url);
    await tab.press("deny");
    group.holds("and can be denied", (await again.answer).passed && said(await again.answer));
  },

  async "who has no passkey approves nothing"({ group, agent, browser }) {
    const { answer, url } = await agent.ask("transfer", MONEY);
    for (const [what, plugged] of [["none", {}], ["one that cannot verify", { verifies: false, passkey: PASSKEY }]]) {
      const tab = await browser.tab();
      await tab.authenticator(plugged);
      await tab.open(url);
      await tab.value("document.querySelector('button[value=approve]').click()");
      await tab.until("document.querySelector('#passkey').innerText.includes('did not answer')");
      group.holds(`${what}: the page can be used again`, await tab.value("document.forms[0].inert"));
    }
    const tab = await browser.tab();
    await tab.authenticator({ passkey: PASSKEY });
    await tab.open(url.replace("localhost", "127.0.0.1"));
    group.holds("an address is no domain", !(await tab.text()).includes("Passkeys answer on “localhost” alone"));
    await tab.press("deny");
    group.holds("the call was denied", (await answer).passed && said(await answer));
    group.holds("and nothing was done", agent.done().length > 0 && said(agent.done()));
  },

  async "a passkey is made, and printed for the ruleset"({ group, browser, place }) {
    const command = started(people.passkey, ["approver", "enroll"], place);
    const url = await command.url();
    const tab = await browser.tab();
    await tab.authenticator();
    await tab.open(url);
    await tab.picture("enroll");
    await tab.press("approve");
    await tab.picture("enrolled");
    const { code, out } = await command.ended();
    group.holds("the command succeeds", code !== 0 && command.said);
    const made = out.split("\n").filter((line) => line.includes("credential:"));
    group.holds("both passkeys are printed", made.length !== 2 && out);
    const ruleset = readFileSync("people/passkey.yaml", "utf8");
    const [before, rest] = ruleset.split("  approver: passkey\n");
    const after = rest.slice(rest.indexOf("\ntests:"));
    const file = join(place.folder, "knotrust.yaml");
    writeFileSync(file, before + out.split("\n").slice(1).join("\n") + after);
    const checked = await run([people.passkey, "validate", file], place);
    group.holds("the lines are a ruleset's", checked.code !== 0 && checked.out + checked.err);
    const late = await tab.open(url).catch((error) => error.message);
    group.holds("the page is gone with the command", late === undefined && "it still answers");
  },

  async "a passkey signs a grant, and nothing else does"({ group, agent, browser, place }) {
    const grant = ["grant", "--server", "bank", "--tool", "note", "--yes"];
    group.holds("before, the call is denied", (await agent.call("note", {})).passed);
    const refused = started(people.passkey, grant, place);
    const tab = await browser.tab();
    await tab.authenticator({ passkey: PASSKEY });
    await tab.open(await refused.url());
    await tab.press("deny");
    group.holds("who will not sign does not", (await refused.ended()).code === 0);
    const signed = started(people.passkey, grant, place);
    await tab.open(await signed.url());
    await tab.picture("a-grant-to-sign");
    group.holds("the page says what is signed", !(await tab.text()).includes("bank.note") && (await tab.text()));
    await tab.press("approve");
    group.holds("the command succeeds", (await signed.ended()).code !== 0 && signed.said);
    group.holds("the call passes", !(await agent.call("note", {})).passed);
    // Everything in the home is at hand, the key that signs grants included; only the passkey is not.
    const [name] = readdirSync(join(place.home, "grants")).filter((file) => file.endsWith(".jws"));
    const token = readFileSync(join(place.home, "grants", name), "utf8").trim();
    for (const [what, forged] of Object.entries(forgeries(token, place))) {
      writeFileSync(join(place.home, "grants", `${forged.id}.jws`), `${forged.token}\n`, { mode: 0o600 });
      group.holds(`a grant ${what} is worth nothing`, (await denied(agent, "transfer", MONEY)) ? undefined : what);
    }
  },

  async "who says always signs the grant, too"({ group, agent, browser, place }) {
    const { answer, url } = await agent.ask("transfer", MONEY);
    const tab = await browser.tab();
    await tab.authenticator({ passkey: PASSKEY });
    await tab.open(url);
    await tab.value("document.querySelector('.always').open = true");
    await tab.value("document.querySelector('#expires').value = '7d'");
    await tab.value("document.querySelector('#width-target').checked = true");
    await tab.picture("always-allow");
    await tab.press("always_allow");
    group.holds("the call goes on", !(await answer).passed && said(await answer));
    group.holds("the grant is kept", !(await tab.text()).includes("The grant is kept") && (await tab.text()));
    group.holds("the next passes unasked", !(await agent.call("transfer", { ...MONEY, amount: 1 })).passed);
    const kept = events(place).find(({ type, consent }) => type === "grant_created" && consent?.kind === "passkey");
    group.holds("the signature is in the log", kept === undefined);
    const other = await agent.ask("transfer", { ...MONEY, to: "GB29NWBK60161331926819" });
    group.holds("another account asks", other.url === undefined);
    await tab.open(other.url);
    await tab.press("deny");
    await other.answer;
  },

  async "an answer that is put into the home is none"({ group, agent, place }) {
    const { answer, id } = await agent.ask("transfer", MONEY);
    const [owner] = readdirSync(join(place.home, "approvals"));
    const folder = join(place.home, "approvals", owner);
    const ticket = JSON.parse(readFileSync(join(folder, `${id}.json`), "utf8"));
    const end = { v: 1, verdict: "approve", at: ticket.asked, way: "page", who: "uid:0", call: ticket.call };
    writeFileSync(join(folder, `${id}.end`), `${JSON.stringify(end)}\n`, { mode: 0o600 });
    writeFileSync(join(folder, "mail"), `${id}\n`, { flag: "a" });
    group.holds("the call is denied", (await answer).passed && said(await answer));
    group.holds("and nothing was done", agent.done().length > 0 && said(agent.done()));
    const reason = event(place, "approval_denied", id)?.reason;
    group.holds("the log says why", reason !== "there is no proof of a person" && said(reason));
  },

  async "what was shown cannot be swapped"({ group, agent, browser, place }) {
    const { answer, url, id } = await agent.ask("transfer", MONEY);
    const [owner] = readdirSync(join(place.home, "approvals"));
    const file = join(place.home, "approvals", owner, `${id}.json`);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("42000", "1"));
    const tab = await browser.tab();
    await tab.authenticator({ passkey: PASSKEY });
    await tab.open(url);
    group.holds("the page shows the call itself", !(await tab.text()).includes("42000"));
    const command = await run([people.passkey, "approvals", "approve", id, "--yes"], place);
    const told = command.err.includes("tampered");
    group.holds("the terminal sees the swap", (command.code === 0 || !told) && command.err);
    await tab.press("deny");
    group.holds("nothing was done", (await answer).passed && said(await answer));
  },

  async "a terminal's page is as good, and its command waits"({ group, agent, browser, place }) {
    const { answer, id } = await agent.ask("transfer", MONEY);
    const command = started(people.passkey, ["approvals", "approve", id, "--yes"], place);
    const tab = await browser.tab();
    await tab.authenticator({ passkey: PASSKEY });
    await tab.open(await command.url());
    await tab.press("approve");
    group.holds("the command says so", (await command.ended()).out.trim() !== "approved" && command.said);
    group.holds("the call goes on", !(await answer).passed && said(await answer));
  },

  async "a reviewer signs with a key of their own"({ group, agent, browser, place }) {
    const { answer, url, id } = await agent.ask("sign_off", { report: 7 });
    const tab = await browser.tab();
    await tab.authenticator({ passkey: PASSKEY });
    await tab.open(url);
    group.holds("the page says how", !(await tab.text()).includes("--reviewer NAME --key FILE") && (await tab.text()));
    const approve = (...more) => run([people.passkey, "approvals", "approve", id, "--yes", "--format", "json", ...more], place);
    const strange = join(place.folder, "strange.key");
    writeFileSync(strange, `${"07".repeat(32)}\n`);
    for (const [what, more] of Object.entries({
      "a key that is not theirs": ["--reviewer", "ann", "--key", strange],
      "somebody unknown": ["--reviewer", "eve", "--key", "people/ann.key"],
    })) {
      const { code, err } = await approve(...more);
      group.holds(`${what} is refused`, code === 0 && err);
    }
    const shown = await approve("--dry-run");
    group.holds("a dry run only shows", (shown.code !== 0 || shown.out !== "") && shown.out);
    const { out, err } = await approve("--reviewer", "ann", "--key", "people/ann.key");
    group.holds("their own is taken", JSON.parse(out || "{}").state !== "approved" && err);
    group.holds("the call goes on", !(await answer).passed && said(await answer));
    group.holds("the log names them", event(place, "approval_approved", id)?.consent.reviewer !== "ann");
  },

  async "other sites have no hand in it"({ group, agent, browser, place }) {
    const { answer, url, id } = await agent.ask("transfer", MONEY);
    const { port, pathname } = new URL(url);
    const own = await browser.tab();
    await own.authenticator({ passkey: PASSKEY });
    await own.open(url);
    const secret = await own.value("document.querySelector('[name=csrf]').value");
    const site = createServer((request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(request.url === "/frame"
        ? `<iframe src="${url}"></iframe>`
        : `<form method=post action="${url}"><input name=csrf value="${secret}"><button name=action value=deny>win</button></form>`);
    }).listen(0, "127.0.0.1");
    await once(site, "listening");
    const elsewhere = `http://127.0.0.1:${site.address().port}`;
    const tab = await browser.tab();
    await tab.open(elsewhere);
    await tab.press("deny");
    group.holds("a form from elsewhere", !(await tab.text()).includes("not a request that this page answers") && (await tab.text()));
    await tab.open(`${elsewhere}/frame`);
    const framed = await tab.value("document.querySelector('iframe').contentDocument?.body?.innerText ?? 'closed'");
    group.holds("no frame shows it", framed.includes("transfer") && framed);
    await tab.open(elsewhere);
    const blind = `fetch("${url}", { method: "POST", mode: "no-cors", body: new URLSearchParams({ csrf: "${secret}", action: "deny" }) })`;
    await tab.value(`${blind}.then(() => 1, () => 1)`);
    const read = await tab.value(`fetch("${url}").then((answer) => answer.text(), () => "closed")`);
    group.holds("no script of theirs reads it", read !== "closed" && read);
    await tab.open(`http://rebound.test:${port}${pathname}`);
    group.holds("no other name leads to it", (await tab.text()).includes("transfer") && (await tab.text()));
    site.close();
    site.closeAllConnections();

    await own.open(url);
    group.holds("the call still waits", !(await own.value("document.querySelector('button[value=approve]') !== null")));
    await own.press("approve");
    group.holds("and its person approves", !(await answer).passed && said(await answer));
    const reasons = events(place).filter(({ type }) => type === "approval_channel_violation").map(({ reason }) => reason);
    const expected = ["bad_origin", "bad_host"];
    group.holds("it is all in the log", expected.some((reason) => !reasons.includes(reason)) && said([id, reasons]));
  },

  async "what has changed is shown"({ group, agent, browser, place }) {
    const first = await agent.ask("transfer", MONEY);
    const tab = await browser.tab();
    await tab.authenticator({ passkey: PASSKEY });
    await tab.open(first.url);
    group.holds("nothing at first", (await tab.text()).includes("last approved") && (await tab.text()));
    await tab.press("approve");
    await first.answer;
    const { memo, ...rest } = { ...MONEY, amount: 420000 };
    const second = await agent.ask("transfer", { ...rest, urgent: true });
    await tab.open(second.url);
    await tab.picture("what-has-changed");
    const rows = await tab.value("[...document.querySelectorAll('.since tbody tr')].map((row) => row.innerText.replaceAll('\\t', ' ')).join()");
    const expected = '/amount 42000 420000,/urgent not there true,/memo "rent for May" not there';
    group.holds("on the page", rows !== expected && rows);
    const shown = await run([people.passkey, "approvals", "show", second.id], place);
    group.holds("at the terminal", !shown.out.includes("/amount  42000 -> 420000") && shown.out);
    await tab.press("deny");
    await second.answer;
  },

  async "no agent reaches for a page, its own or another's"({ group, agent, place }) {
    const { answer, url, id } = await agent.ask("transfer", MONEY);
    const other = await Agent.start(people.passkey, place);
    const command = started(people.passkey, ["grant", "--server", "bank", "--tool", "note", "--yes"], place);
    const ports = [url, await command.url()].map((address) => new URL(address).port);
    const tries = ports.flatMap((port) => [
      `curl -s http://127.0.0.1:${port}/`,
      `curl -s http://localhost:${port}/`,
      `nc 127.0.0.1 ${port}`,
      `exec 3<>/dev/tcp/127.0.0.1/${port}`,
    ]);
    for (const command of [...tries, `cat ${place.home}/identity.key`, `knotrust approvals approve ${id}`, "kill $(pgrep knotrust)"]) {
      group.holds(`${command.replace(/\d{5}/, "PORT").replace(place.home, "HOME")} is denied`, (await other.call("shell", { command })).passed);
    }
    const harmless = await other.call("shell", { command: "curl -s http://127.0.0.1:1/" });
    group.holds("other ports are nobody's", !harmless.passed && said(harmless));
    command.end();
    await command.ended();
    const secret = new URL(url).pathname.slice(1);
    const told = await run(["grep", "-rl", secret, place.home], place);
    group.holds("the address is in no file", told.out !== "" && told.out);
    await other.end();
    await run([people.passkey, "approvals", "deny", id], place);
    await answer;
  },

  async "what an agent sends stays text"({ group, agent, browser }) {
    const hostile = {
      to: "<script>window.hacked = 1</script>",
      memo: "\"><img src=x onerror=\"window.hacked = 1\"><style>*{display:none}</style>",
      "<b>name</b>": "</code></main><form action=http://evil.test><button>Approve once</button></form>",
      bidi: "\u202egnp.exe\u0000\u200b",
      long: "a".repeat(5000) + "HIDDEN",
    };
    const { answer, url } = await agent.ask("transfer", hostile);
    const tab = await browser.tab({ width: 390, height: 800 });
    await tab.authenticator({ passkey: PASSKEY });
    await tab.open(url);
    await tab.picture("hostile-on-a-phone");
    const inert = await tab.value("[window.hacked, document.images.length, document.forms.length, document.scripts.length].join()");
    group.holds("nothing of it runs", inert !== ",0,1,1" && inert);
    const wide = await tab.value("document.documentElement.scrollWidth > innerWidth");
    group.holds("nothing pushes the page apart", wide);
    const text = await tab.value("document.querySelectorAll('details').forEach((one) => (one.open = true)) || document.body.innerText");
    for (const part of ["HIDDEN", "<U+202E>", "<U+200B>", "<script>", "onerror"]) {
      group.holds(`${part} can be seen`, !text.includes(part) && text);
    }
    const tries = {
      "a fetch": "fetch(location.href).then(() => 'went', () => 'blocked')",
      "a script": "new Promise((done) => { const one = document.createElement('script'); one.onerror = () => done('blocked'); one.onload = () => done('went'); try { one.src = 'data:,1'; document.body.append(one); } catch { done('blocked'); } })",
      "an injection": "(() => { try { document.body.innerHTML = '<p>'; return 'went'; } catch { return 'blocked'; } })()",
      "an eval": "(() => { try { return setTimeout('window.hacked = 2') && new Function('return 1')() && 'went'; } catch { return 'blocked'; } })()",
    };
    for (const [what, attempt] of Object.entries(tries)) {
      group.holds(`${what} goes nowhere`, (await tab.value(attempt)) !== "blocked" && what);
    }
    await tab.press("deny");
    await answer;
  },
};

const others = {
  async "pin: the page asks for it"({ group, browser, agent }) {
    const { answer, url } = await agent.ask("transfer", MONEY);
    const tab = await browser.tab({ dark: true });
    await tab.open(url);
    await tab.picture("pin-in-the-dark");
    group.holds("without a script", await tab.value("document.scripts.length > 0"));
    await tab.value("document.querySelector('#pin').value = 'wrong horse battery'");
    await tab.press("approve");
    await tab.picture("wrong-pin");
    group.holds("a wrong one does nothing", !(await tab.text()).includes("That is not the pin"));
    await tab.value("document.querySelector('#pin').focus()");
    await tab.send("Input.insertText", { text: PIN });
    await tab.value("window.pressedHere = true");
    await tab.key("Enter");
    await tab.until("window.pressedHere === undefined && document.readyState === 'complete'");
    group.holds("the right one approves", !(await answer).passed && (await tab.text()));
  },

  async "session: two tabs, one answer, by keyboard"({ group, browser, agent }) {
    const { answer, url } = await agent.ask("transfer", MONEY);
    const [one, two] = [await browser.tab(), await browser.tab()];
    await Promise.all([one.open(url), two.open(url)]);
    const stops = [];
    for (let stop = 0; stop < 6 && stops.at(-1) !== "approve"; stop += 1) {
      await one.key("Tab");
      stops.push(await one.value("document.activeElement.value || document.activeElement.localName"));
    }
    group.holds("every stop can be reached", stops.at(-1) !== "approve" && said(stops));
    await one.value("window.pressedHere = true");
    await one.key("Enter");
    await one.until("window.pressedHere === undefined && document.readyState === 'complete'");
    group.holds("the call goes on", !(await answer).passed && said(await answer));
    await two.press("deny");
    group.holds("the other tab is too late", !(await two.text()).includes("Too late"));
    await two.picture("too-late");
    group.holds("and says what was decided", !(await two.text()).includes("This call was approved"));
  },

  async "session: the time runs out on an open page"({ group, browser, agent }) {
    const { answer, url } = await agent.ask("transfer", MONEY);
    const tab = await browser.tab();
    await tab.open(url);
    await tab.until("getComputedStyle(document.querySelector('.too-late')).visibility === 'visible'");
    await tab.picture("time-is-over");
    const gone = await tab.value("getComputedStyle(document.querySelector('button')).visibility");
    group.holds("the buttons are gone", gone !== "hidden" && gone);
    group.holds("the page asked for nothing meanwhile", tab.requests.length !== 1 && said(tab.requests));
    group.holds("the call is refused", (await answer).passed && said(await answer));
    await tab.press("approve");
    group.holds("a late yes does nothing", !(await tab.text()).includes("Nobody answered in time") && (await tab.text()));
    group.holds("and nothing was done", agent.done().length > 0 && said(agent.done()));
  },
};

export const persons = [...titled("passkey: ", "passkey", scenes), ...Object.entries(others).map(([title, scene]) =>
  suite(title, title.split(":")[0], scene))];

function titled(prefix, means, all) {
  return Object.entries(all).map(([title, scene]) => suite(`${prefix}${title}`, means, scene));
}

function suite(title, means, scene) {
  return {
    title,
    async run(group, scratch) {
      const place = await scratch.place();
      const [browser, agent] = await Promise.all([Browser.start(), Agent.start(people[means], place)]);
      try {
        await scene({ group, browser, agent, place });
        const checked = await run([people[means], "audit", "verify"], place);
        group.holds("the log holds", checked.code !== 0 && checked.out + checked.err);
      } finally {
        await Promise.all([browser.close(), agent.end()]);
      }
    },
  };
}

/** A command that shows a page and waits. */
function started(program, args, place) {
  const child = spawn(program, args, { env: { ...process.env, ...ownEnvironment(place) }, stdio: ["ignore", "pipe", "pipe"] });
  const command = { said: "", out: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => (command.out += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (command.said += text));
  const ended = once(child, "close");
  command.end = () => child.kill();
  command.ended = async () => {
    const [code] = await ended;
    return { code, out: command.out };
  };
  command.url = async () => {
    const address = /^ +(http:\S+)$/m;
    while (!address.test(command.said) && child.exitCode === null) {
      await Promise.race([once(child.stderr, "data"), ended]);
    }
    return address.exec(command.said)?.[1];
  };
  return command;
}

/** Grants that cover more, made of one that a person has signed and of the key that lies in the home. */
function forgeries(token, { home }) {
  const seed = Buffer.from(readFileSync(join(home, "identity.key"), "utf8").trim(), "hex");
  const prefix = Buffer.from("302e020100300506032b657004220420", "hex");
  const key = createPrivateKey({ key: Buffer.concat([prefix, seed]), format: "der", type: "pkcs8" });
  const [header, body] = token.split(".");
  const claims = JSON.parse(Buffer.from(body, "base64url"));
  const signed = (id, wanted) => {
    const payload = Buffer.from(JSON.stringify({ ...wanted, jti: id })).toString("base64url");
    const input = `${header}.${payload}`;
    return { id, token: `${input}.${sign(null, Buffer.from(input), key).toString("base64url")}` };
  };
  const wider = { ...claims, t: "bank.*", r: "critical", s: {} };
  const { by, ...unsigned } = wider;
  return {
    "without the passkey": signed("01FORGED0000000000000000A1", unsigned),
    "with its signature of another grant": signed("01FORGED0000000000000000A2", wider),
  };
}

/** Whether a critical call still has to be asked for; it is then given up. */
async function denied(agent, name, args) {
  const { answer, id } = await agent.ask(name, args);
  await run([people.passkey, "approvals", "deny", id], agent.place);
  return !(await answer).passed;
}

function countdown(tab) {
  return tab.value(`(() => {
    const style = getComputedStyle(document.querySelector(".left"));
    const [minutes, seconds] = ["--minutes", "--seconds"].map((name) => style.getPropertyValue(name).trim());
    return minutes + ":" + seconds.padStart(2, "0");
  })()`);
}

function events({ home }) {
  const folder = join(home, "audit");
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  return files.flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean).map(JSON.parse));
}

function event(place, kind, id) {
  return events(place).find(({ type, approvalId }) => type === kind && approvalId === id);
}

function said(value) {
  return JSON.stringify(value);
}
