// A stream of the service's events, over one connection for all tabs of a browser: with HTTP/1.1 a browser opens six to a host, and a
// stream for each tab would leave none for anything else. One tab holds a lock, listens, and tells the others; when it goes, the next
// one gets the lock, and goes on where the stream was.

import { api } from "./http.js";

// How many events are kept for tabs that come later.
const kept = 300;
// The service says every 30 seconds that it is there; without a word for this long, in milliseconds, the connection is dead.
const patience = 75000;

// The number of the change that an event's id names: "42-1" is a part of change 42.
const tokenOf = (id) => Number.parseInt(id, 10) || 0;

// Follows a stream from a token on. Calls `onEvent({ type, id, token, data })` for each event, "resnapshot" where nobody knows what was
// missed, and `onState(isLive)`. Returns what ends it.
export function follow(path, { since, onEvent, onState }) {
  const channel = new BroadcastChannel(`tintype ${path}`);
  const end = new AbortController();
  let last = String(since);
  let isLeader = false;
  let isLive = false;
  const past = [];

  function take(event) {
    if (event.token < tokenOf(last)) return;  // The list has it.
    if (event.id) last = event.id;
    if (event.type) onEvent(event);
  }

  function tell(event) {
    past.push(event);
    if (past.length > kept) past.shift();
    take(event);
    channel.postMessage({ kind: "event", event });
  }

  function tellState(state) {
    isLive = state;
    onState(state);
    channel.postMessage({ kind: "state", isLive });
  }

  // A tab that has just come, and has a list of that token, missed what came before it listened.
  function tellPast(token) {
    const first = past[0]?.token ?? Infinity;
    const isWhole = past.length < kept || first <= token;
    channel.postMessage({ kind: "past", token, isLive, events: isWhole ? past.filter((event) => event.token > token) : null });
  }

  channel.addEventListener("message", ({ data }) => {
    if (data.kind === "event") take(data.event);
    if (data.kind === "state") onState(data.isLive);
    if (data.kind === "asked" && isLeader) tellPast(data.token);
    if (data.kind === "past" && data.token === tokenOf(since)) {
      if (data.events) data.events.filter((event) => event.token > tokenOf(last)).forEach(take);
      else onEvent({ type: "resnapshot", id: last, token: tokenOf(last), data: null });
      onState(data.isLive);
    }
  });

  async function lead() {
    if (end.signal.aborted) return;
    isLeader = true;
    for (let attempt = 0; !end.signal.aborted; attempt += 1) {
      const begun = Date.now();
      try {
        await listen(path, last, end.signal, () => tellState(true), tell);
      } catch (problem) {
        if (problem.status === 410 || problem.status === 400) tell({ type: "resnapshot", id: "", token: Infinity, data: null });
      }
      if (end.signal.aborted) return;
      if (isLive) tellState(false);
      if (Date.now() - begun > 10000) attempt = 0;
      await pause(Math.min(15000, 500 * 2 ** attempt), end.signal);
    }
  }

  channel.postMessage({ kind: "asked", token: tokenOf(since) });
  // Locks are there where the page came by https, or from this machine.
  if (navigator.locks) navigator.locks.request(channel.name, { signal: end.signal }, lead).catch(() => {}); else lead();

  return () => {
    end.abort();
    channel.close();
  };
}

function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    addEventListener("online", done, { once: true });
    signal.addEventListener("abort", done, { once: true });
  });
}

// Reads one connection to its end.
async function listen(path, last, signal, connected, tell) {
  const connection = new AbortController();
  const end = () => connection.abort();
  signal.addEventListener("abort", end, { once: true });
  let watch = setTimeout(end, patience);
  try {
    const response = await api(path, { headers: { Accept: "text/event-stream", "Last-Event-ID": last }, signal: connection.signal });
    connected();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(watch);
      watch = setTimeout(end, patience);
      const messages = (text + value).split("\n\n");
      text = messages.pop();
      for (const message of messages) {
        const event = eventOf(message);
        if (event.type === "auth_revoked") return;
        if (event.type || event.id) tell(event);
      }
    }
  } finally {
    clearTimeout(watch);
    signal.removeEventListener("abort", end);
    connection.abort();
  }
}

function eventOf(message) {
  const fields = {};
  for (const line of message.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
  }
  let data = null;
  try {
    data = JSON.parse(fields.data ?? "null");
  } catch {
    // What is no JSON is of another version.
  }
  return { type: fields.event ?? null, id: fields.id ?? "", token: tokenOf(fields.id), data };
}
