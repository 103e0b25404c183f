// The page's requests to the service, as an admin; the key is stored for this tab alone.

import { t } from "/page/ops-text.js";

const KEY = "tintype.ops.key";
const PATIENCE = 25_000;  // In milliseconds; the service sends something every 15 seconds.

export class Problem extends Error {
  constructor(status, code, message, hint) {
    super(message);
    Object.assign(this, { status, code, hint });
  }
}

export const credentials = {
  get key() { return sessionStorage.getItem(KEY); },
  set key(key) { key ? sessionStorage.setItem(KEY, key) : sessionStorage.removeItem(KEY); },

  // Takes the key from an address such as /ops#key=tintype_…, and removes it there, so that nobody can read it.
  takeFromAddress() {
    const key = new URLSearchParams(location.hash.slice(1)).get("key");
    if (location.hash) history.replaceState(null, "", location.pathname + location.search);
    if (key) this.key = key.trim();
  },
};

async function problemOf(response) {
  const problem = await response.json().catch(() => ({}));
  return new Problem(response.status, problem.code ?? "unknown", problem.detail ?? t("error.status", { status: response.status }),
    problem.hint ?? "");
}

export async function ask(path, { method = "GET", json, signal } = {}) {
  const headers = { Authorization: `Bearer ${credentials.key}` };
  if (json !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { method, headers, signal, body: json === undefined ? undefined : JSON.stringify(json) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "offline", t("error.offline"), "");
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

export const askJSON = async (path, options) => (await ask(path, options)).json();

export const mayNot = (error) => error instanceof Problem && [401, 403].includes(error.status);

// MARK: Events

async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      let end;
      while ((end = text.indexOf("\n\n")) >= 0) {
        const fields = text.slice(0, end).split("\n").map((line) => line.split(/: ?(.*)/s));
        text = text.slice(end + 2);
        yield Object.fromEntries(fields);
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

// Follows the state of the service, without end: onDocument receives each document, onState "live" or "offline", and
// onRefused the reason why the key is no longer valid, which ends it.
export async function follow({ onDocument, onState, onRefused }) {
  let wait = 500;
  while (true) {
    const control = new AbortController();
    let timer = setTimeout(() => control.abort(), PATIENCE);
    try {
      const response = await ask("/v1/operations/events", { signal: control.signal });
      for await (const { event, data } of eventsOf(response.body)) {
        clearTimeout(timer);
        timer = setTimeout(() => control.abort(), PATIENCE);
        if (event === "auth_revoked") throw new Problem(401, "bad_token", t("sign.expired"), "");
        if (event !== "operations") continue;
        wait = 500;
        onState("live");
        onDocument(JSON.parse(data));
      }
    } catch (error) {
      if (mayNot(error)) return onRefused(error);
    } finally {
      clearTimeout(timer);
    }
    onState("offline");
    await new Promise((go) => {
      const timer = setTimeout(go, wait);
      addEventListener("online", () => { clearTimeout(timer); go(); }, { once: true });
    });
    wait = Math.min(wait * 2, 10_000);
  }
}
