// Asks the person's passkey for what a button needs, and sends it with the form. It fetches nothing and sends nothing else.
"use strict";

const form = document.querySelector("form[data-credentials]");
const remark = document.querySelector("#passkey");

const bytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
const letters = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const keys = () =>
  form.dataset.credentials.split(" ").filter(Boolean).map((id) => ({ type: "public-key", id: bytes(id) }));

// What is signed stands in the form, or belongs to what is chosen in it; of a grant, also to how long it holds.
function challenge(statement) {
  const places = [...form.querySelectorAll(`[data-states="${statement}"]`)];
  const place = places.find(({ checked }) => checked) ?? places[0];
  const { challenge, challenges } = (place.selectedOptions?.[0] ?? place).dataset;
  if (!challenges) {
    return bytes(challenge);
  }
  const [, chosen] = challenges.split(" ").map((one) => one.split("=")).find(([span]) => span === form.elements.expires.value);
  return bytes(chosen);
}

function add(name, value) {
  const field = document.createElement("input");
  Object.assign(field, { type: "hidden", name, value });
  form.append(field);
}

async function sign(statement, allowCredentials) {
  const { rawId, response } = await navigator.credentials.get({
    publicKey: { rpId: "localhost", challenge: challenge(statement), allowCredentials, userVerification: "required" },
  });
  add(`${statement}.credential`, letters(rawId));
  add(`${statement}.authenticatorData`, letters(response.authenticatorData));
  add(`${statement}.clientDataJSON`, letters(response.clientDataJSON));
  add(`${statement}.signature`, letters(response.signature));
}

async function make() {
  const { rawId, response } = await navigator.credentials.create({
    publicKey: {
      rp: { id: "localhost", name: "knotrust" },
      user: { id: crypto.getRandomValues(new Uint8Array(16)), name: "approver", displayName: "knotrust approver" },
      challenge: challenge("trial"),
      pubKeyCredParams: [{ type: "public-key", alg: -7 }, { type: "public-key", alg: -8 }],
      authenticatorSelection: { userVerification: "required", residentKey: "discouraged" },
      excludeCredentials: keys(),
      attestation: "none",
    },
  });
  add("made.credential", letters(rawId));
  add("made.publicKey", letters(response.getPublicKey()));
  remark.textContent = "Made. Use it once more, so that it is known to work.";
  await sign("trial", [{ type: "public-key", id: rawId }]);
}

async function ask(statements) {
  for (const statement of statements) {
    remark.textContent = "Your passkey is asked for.";
    await (statement === "new" ? make() : sign(statement, keys()));
  }
}

form?.addEventListener("submit", (event) => {
  const button = event.submitter;
  const asked = button?.dataset.asks;
  if (!asked) {
    return;
  }
  event.preventDefault();
  form.inert = true;
  ask(asked.split(" ")).then(
    () => {
      add(button.name, button.value);
      form.submit();
    },
    (error) => {
      form.inert = false;
      form.querySelectorAll("input[name*='.']").forEach((field) => field.remove());
      remark.textContent = `The passkey did not answer (${error.name}). Nothing was done.`;
      button.focus();
    },
  );
});

if (form && location.hostname !== "localhost") {
  remark.textContent =
    "Passkeys answer on “localhost” alone. In the address above, write localhost in place of 127.0.0.1, and load the page again.";
} else if (form && !window.PublicKeyCredential) {
  remark.textContent = "This browser knows no passkeys. Open the address in one that does.";
}
