"use strict";

// Posts as they are published and deleted, over one connection for all tabs of a browser: with HTTP/1.1 a browser opens six
// to a host, and a stream for each tab would leave none for anything else. One tab holds a lock, listens, and tells the
// others; when it goes, the next one gets the lock, and goes on where the stream was.

// Calls `changed` for each event with the post's id, the post or null for one that was deleted, its position in the order
// of publication, and the token of the change: its place in the order of all changes. Calls `reset` when nobody knows any
// more what was missed before a token.
function followPosts({ connected, disconnected, changed, reset }) {
  const others = new BroadcastChannel("tintype-posts");
  let isConnected = false;
  let isListener = false;
  const tokenOf = (eventID) => Number.parseInt(eventID, 10);  // "42-1" is a part of change 42.
  // The id of the last event that came, to this tab or to the one before it.
  let lastID = null;

  function take(message) {
    if (message.lastID) lastID = message.lastID;
    if (message.kind === "changed") changed(message);
    if (message.kind === "reset") reset(message.token);
    if (message.kind === "connected") connected();
    if (message.kind === "disconnected") disconnected();
  }

  function tell(message) {
    take(message);
    others.postMessage(message);
  }

  function listen() {
    // The browser itself comes again with the id of the last event; a new stream has to be told.
    const events = new EventSource(lastID ? `v1/posts/events?since=${lastID}` : "v1/posts/events");
    events.addEventListener("open", () => {
      isConnected = true;
      tell({ kind: "connected" });
    });
    events.addEventListener("put", ({ data: text, lastEventId }) => {
      const { path, data, position } = JSON.parse(text);
      const token = tokenOf(lastEventId);
      tell({ kind: "changed", id: path.slice(1), post: data, token, position, lastID: lastEventId });
    });
    events.addEventListener("resnapshot", ({ lastEventId }) => {
      tell({ kind: "reset", token: tokenOf(lastEventId), lastID: lastEventId });
    });
    events.addEventListener("error", () => {
      isConnected = false;
      tell({ kind: "disconnected" });
      if (events.readyState === EventSource.CLOSED) setTimeout(listen, 5000);
    });
  }

  others.addEventListener("message", ({ data }) => {
    if (data.kind !== "asked") return take(data);
    // A tab that has just come does not know how things are.
    if (isListener && isConnected) others.postMessage({ kind: "connected", lastID });
  });
  others.postMessage({ kind: "asked" });

  function lead() {
    isListener = true;
    listen();
    return new Promise(() => {});  // Until the tab goes.
  }

  // Locks are there where the page came by https, or from this machine.
  if (navigator.locks) navigator.locks.request("tintype-posts", lead); else lead();

  // What a list has shown need not be told again: `token` is the position that it stands for.
  return { seen: (token) => { lastID ??= String(token); } };
}
