// A stream of the service's events, over one connection for all tabs of a browser: with HTTP/1.1 a browser opens at
// most six to a host, and a stream for each tab would leave none for other requests. One tab holds a lock, listens, and
// forwards the events to the others; when it closes, the next tab gets the lock, and continues the stream.

import { api } from "./http.js";

// The number of events that are kept for tabs that open later.
const kept = 300;
// The service sends a sign of life every 30 seconds; after this long without one, in milliseconds, the connection is
// dead.
const patience = 75000;

// The number of the change in an event's id: "42-1" is a part of change 42.
const tokenOf = (id) => Number.parseInt(id, 10) || 0;

// Follows a stream from a token on. Calls `onEvent({ type, id, token, data })` for each event, of type "resnapshot" if
// events may have been missed, and `onState(isLive)`. Returns a function that ends it.
export function follow(path, { since, onEvent, onState }) {
  const channel = new BroadcastChannel(`tintype ${path}`);
  const end = new AbortController();
  let last = String(since);
  let isLeader = false;
  let isLive = false;
  const past = [];

  function take(event) {
    if (event.token < tokenOf(last)) return;  // The list contains it.
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

  // Sends the past events to a tab that has just opened, with a list of that token.
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
  // Locks exist only if the page was loaded by https, or from this machine.
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
    // Events that are not JSON are of another version.
  }
  return { type: fields.event ?? null, id: fields.id ?? "", token: tokenOf(fields.id), data };
}
