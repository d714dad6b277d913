// Whether two sessions were given the same, apart from what no two sessions share.

const DATE = /\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} \d{2} \d{4} [\d:]+ GMT[+-]\d{4}( \([^)]*\))?/g;
const TIME = /\b\d{1,2}:\d{2}:\d{2}( [AP]M)?/g;
const INSTANT = /\b\d{4}-\d{2}-\d{2}T[\d:.]+Z/g;
const UUID = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const TASK = /\b[0-9a-f]{32}\b/g;
// A level drawn by lot, with a text that names it.
const DRAWN = /^\w+[- ]level[- ]message$/;

/** A value without the times, ids and folders of its session. */
export function settled(value, place) {
  if (typeof value === "string") {
    return settledText(value, place);
  }
  if (Array.isArray(value)) {
    return value.map((each) => settled(each, place));
  }
  if (value === null || typeof value !== "object") {
    return value;
  }
  const members = Object.entries(value).map(([name, each]) => [name, settledMember(name, each, place)]);
  const object = Object.fromEntries(members);
  return DRAWN.test(object.data) ? { ...object, level: "<drawn>", data: "<drawn>" } : object;
}

function settledMember(name, value, place) {
  if (name === "requestState") {
    return "<state>"; // Sealed anew each time.
  }
  if (name === "blob" && typeof value === "string") {
    const text = Buffer.from(value, "base64").toString();
    return text.includes("created at") ? settledText(text, place) : value;
  }
  return settled(value, place);
}

function settledText(text, { folder }) {
  return text
    .replaceAll(folder, "<folder>")
    .replace(DATE, "<date>")
    .replace(INSTANT, "<instant>")
    .replace(TIME, "<time>")
    .replace(UUID, "<uuid>")
    .replace(TASK, "<task>");
}

/** The first place where two values differ, in words, or nothing. Members may come in any order. */
export function difference(expected, actual, path = "$") {
  if (Object.is(expected, actual)) {
    return undefined;
  }
  if (!isObject(expected) || !isObject(actual) || Array.isArray(expected) !== Array.isArray(actual)) {
    return `${path}: ${shown(expected)} directly, ${shown(actual)} through knotrust`;
  }
  for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const found = difference(expected[name], actual[name], `${path}.${name}`);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

function isObject(value) {
  return value !== null && typeof value === "object";
}

function shown(value) {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text;
}

/**
 * Messages by kind: answers by their id, everything else by its method in the order of arrival. The order between kinds
 * is a matter of time. Of a call that was given up, the messages that crossed with the cancellation don't count.
 */
export function sorted(heard) {
  const kinds = {};
  const answered = new Set(heard.filter((message) => !message.method).map((message) => String(message.id)));
  for (const message of heard) {
    const token = message.params?.progressToken;
    if (token !== undefined && !answered.has(String(token)) && message.params.progress > 2) {
      continue;
    }
    const kind = message.method ?? `the answer to ${message.id}`;
    (kinds[kind] ??= []).push(message);
  }
  return kinds;
}
