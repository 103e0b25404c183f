"use strict";

// New posts as they are published, over one connection for all tabs of a browser: with HTTP/1.1 a browser opens six to a
// host, and a stream for each tab would leave none for anything else. One tab holds a lock, listens, and tells the others;
// when it goes, the next one gets the lock.

function followPosts({ connected, disconnected, published }) {
  const others = new BroadcastChannel("tintype-posts");
  let isConnected = false;
  let isListener = false;

  function take(message) {
    if (message.kind === "published") published(message.id, message.post);
    if (message.kind === "connected") connected();
    if (message.kind === "disconnected") disconnected();
  }

  function tell(message) {
    take(message);
    others.postMessage(message);
  }

  function listen() {
    const events = new EventSource("v1/posts/events");
    events.addEventListener("open", () => {
      isConnected = true;
      tell({ kind: "connected" });
    });
    events.addEventListener("put", (event) => {
      const { path, data } = JSON.parse(event.data);
      tell({ kind: "published", id: path.slice(1), post: data });
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
    if (isListener && isConnected) others.postMessage({ kind: "connected" });
  });
  others.postMessage({ kind: "asked" });

  function lead() {
    isListener = true;
    listen();
    return new Promise(() => {});  // Until the tab goes.
  }

  // Locks are there where the page came by https, or from this machine.
  if (navigator.locks) navigator.locks.request("tintype-posts", lead); else lead();
}
