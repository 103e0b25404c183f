// Addresses and views: links inside the page change the view, and the browser's buttons return to earlier ones.

// The view of an address: { view, … }; null for an address that is not a page of the gallery.
function routeOf(url) {
  const [first, second, third] = url.pathname.split("/").slice(1).map(decoded);
  if (third !== undefined) return null;
  if (first === "" && second === undefined) return { view: "home" };
  if (["all", "search", "notifications", "join", "invitations", "setup"].includes(first) && second === undefined) return { view: first, q: url.searchParams.get("q") ?? "" };
  if (first === "people" && second) return { view: "person", uid: second };
  if (first === "tags" && second) return { view: "tag", tag: second.toLowerCase() };
  if (first === "posts" && second) return { view: "post", id: second };
  return null;
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// Fires "leave" before the view changes, and "go" with { route, state, isBack } when another one should be shown.
export const router = new EventTarget();

const newKey = () => String(crypto.getRandomValues(new Uint32Array(1))[0]);

export function begin() {
  history.scrollRestoration = "manual";
  if (!history.state?.key) history.replaceState({ key: newKey() }, "");
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.target || link.hasAttribute("download") || link.origin !== location.origin || !routeOf(new URL(link.href))) return;
    if (link.pathname === location.pathname && link.search === location.search && link.hash) return;
    event.preventDefault();
    navigate(link.href);
  });
  addEventListener("popstate", () => {
    // A fragment within the same view.
    if (!history.state) return history.replaceState(current.state, "");
    if (history.state.key === current.state.key && withoutHash() === current.address) return;
    go(true);
  });
  go(false);
}

// Changes to another address. `state` is kept with it.
export function navigate(href, state = {}) {
  leave();
  history.pushState({ key: newKey(), ...state }, "", href);
  go(false);
}

// Changes the address only; the view is shown already.
export function setAddress(href, state, { isNew = false } = {}) {
  if (isNew) {
    leave();
    history.pushState({ key: newKey(), ...state }, "", href);
  } else {
    history.replaceState({ ...history.state, ...state }, "", href);
  }
  note();
}

export function leave() {
  router.dispatchEvent(new Event("leave"));
}

// The current entry of the history.
let current = { address: "", state: {} };

// Whether a view has been requested: the first one is that of the page itself, which may be at any address.
let hasBegun = false;

const withoutHash = () => location.pathname + location.search;

function note() {
  current = { address: withoutHash(), state: history.state ?? {} };
}

function go(isBack) {
  note();
  const route = routeOf(new URL(location.href)) ?? (hasBegun ? null : { view: "missing" });
  hasBegun = true;
  if (!route) return location.reload();
  router.dispatchEvent(new CustomEvent("go", { detail: { route, state: history.state ?? {}, isBack } }));
}
