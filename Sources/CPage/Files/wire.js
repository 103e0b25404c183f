// Live values of the database, over one WebSocket of this tab: Database.md, "WebSockets".

import { session } from "./session.js";

// The time without listeners after which the connection is closed, in milliseconds.
const linger = 30000;
const longestPause = 30000;

// The listens: { path, last, tag, callbacks, value, isKnown }.
const places = new Map();
let socket = null;
let uid = null;
let count = 0;
let attempt = 0;
let timers = {};
// The state of a message in several frames: the number of frames left, and the text so far.
let frames = { left: 0, text: "" };
// The time by which the service's clock is ahead of this one, in milliseconds.
let skew = 0;
// The handlers of the answers to requests, by number.
let answers = new Map();

// Calls back with the value at a path, and again whenever it changes; null if there is none. With `last`, only the
// children with the greatest keys are included. Returns a function that ends it.
export function listen(path, callback, { last = null } = {}) {
  const name = `${path}?${last ?? ""}`;
  let place = places.get(name);
  if (place) {
    if (place.isKnown) queueMicrotask(() => { if (place.callbacks.has(callback)) callback(place.value); });
  } else {
    place = { path, last, tag: last === null ? undefined : ++count, callbacks: new Set(), value: null, isKnown: false };
    places.set(name, place);
    if (socket?.readyState === WebSocket.OPEN) ask("q", { ...placeOf(place), h: "" });
  }
  place.callbacks.add(callback);
  connect();
  return () => {
    if (!place.callbacks.delete(callback) || place.callbacks.size > 0 || places.get(name) !== place) return;
    places.delete(name);
    if (socket?.readyState === WebSocket.OPEN) ask("n", placeOf(place));
    if (places.size === 0) later("linger", linger, () => { if (places.size === 0) socket?.close(); });
  };
}

const placeOf = ({ path, last, tag }) => ({ p: `/${path}`, ...(tag && { q: { l: last, vf: "r", i: ".key" }, t: tag }) });

function later(name, milliseconds, run) {
  clearTimeout(timers[name]);
  timers[name] = setTimeout(run, milliseconds);
}

function ask(action, body, answered) {
  count += 1;
  if (answered) answers.set(count, answered);
  socket.send(JSON.stringify({ t: "d", d: { r: count, a: action, b: body } }));
}

async function connect() {
  if (socket || places.size === 0) return;
  clearTimeout(timers.again);
  const mine = socket = new WebSocket(`${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/.ws?v=5`);
  [frames, answers, uid] = [{ left: 0, text: "" }, new Map(), session.user?.uid ?? null];
  mine.addEventListener("message", ({ data }) => { if (mine === socket) take(data); });
  mine.addEventListener("close", () => {
    if (mine !== socket) return;
    socket = null;
    clearTimeout(timers.renew);
    if (places.size > 0) later("again", Math.min(longestPause, 500 * 2 ** attempt++) * (0.8 + 0.4 * Math.random()), connect);
  });
  mine.addEventListener("open", async () => {
    if (!await authenticate(mine)) return mine.close();
    for (const place of places.values()) ask("q", { ...placeOf(place), h: "" });
    keepAlive(mine);
  });
}

// Authenticates the connection, and again before the token expires. False if that is not possible now.
async function authenticate(mine) {
  const token = await session.token().catch(() => undefined);
  if (token === undefined || mine !== socket || mine.readyState !== WebSocket.OPEN) return false;
  if (token === null) return true;
  ask("auth", { cred: token }, ({ s: status, d: answer }) => {
    if (status !== "ok") return mine.close();
    const left = answer.expires ? answer.expires * 1000 - (Date.now() + skew) : 3600000;
    later("renew", Math.max(5000, left - 45000), () => authenticate(mine));
  });
  return true;
}

function keepAlive(mine) {
  if (mine !== socket || mine.readyState !== WebSocket.OPEN) return;
  mine.send("0");
  later("alive", 45000, () => keepAlive(mine));
}

function take(data) {
  if (frames.left === 0 && /^\d{1,6}$/.test(data)) {
    frames = { left: Number(data), text: "" };
    return;
  }
  if (frames.left > 0) {
    frames.text += data;
    frames.left -= 1;
    if (frames.left > 0) return;
    data = frames.text;
  }
  const { t: type, d: message } = JSON.parse(data);
  if (type === "c" && message.t === "h") skew = (message.d?.ts ?? Date.now()) - Date.now();
  if (type === "c" && (message.t === "r" || message.t === "s")) return socket.close();
  if (type !== "d") return;
  attempt = 0;
  if (message.r !== undefined) {
    answers.get(message.r)?.(message.b);
    answers.delete(message.r);
  } else if (message.a === "d" || message.a === "m") {
    change(message.a, message.b);
  } else if (message.a === "ac") {
    socket.close();
  }
}

function change(action, { p: path, d: data, t: tag }) {
  const keys = path.split("/").filter(Boolean);
  for (const place of places.values()) {
    const own = place.path.split("/");
    if (place.tag !== tag || own.some((key, index) => key !== keys[index])) continue;
    const rest = keys.slice(own.length);
    const parts = action === "d" ? [[rest, data]] : Object.entries(data ?? {}).map(([key, value]) => [[...rest, ...key.split("/").filter(Boolean)], value]);
    place.value = parts.reduce((value, [keys, data]) => withValue(value, keys, data), place.value);
    place.isKnown = true;
    for (const callback of place.callbacks) callback(place.value);
  }
}

function withValue(value, [key, ...rest], data) {
  if (key === undefined) return data ?? null;
  const children = Object.assign(Object.create(null), typeof value === "object" ? value : null);
  const child = withValue(children[key] ?? null, rest, data);
  if (child === null) delete children[key]; else children[key] = child;
  return Object.keys(children).length > 0 ? children : null;
}

addEventListener("online", connect);
session.addEventListener("change", () => {
  // Another user sees other data.
  if (socket && uid !== (session.user?.uid ?? null)) socket.close();
});
