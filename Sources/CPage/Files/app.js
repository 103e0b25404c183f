// The page: the view of its address. The tools of its head load after the first view.

import { feedView } from "./feed-view.js";
import { h } from "./dom.js";
import { begin, router, setAddress } from "./router.js";
import { siteName } from "./site.js";
import { t } from "./texts.js";
import { keptUser } from "./who.js";

const main = document.getElementById("main");
// A closed service sends strangers and members the same page, whatever is at the address; this is its text.
const isClosed = "closed" in document.body.dataset;
const closedWords = isClosed ? [...main.querySelectorAll("h1, .message > p")] : undefined;
let route = null;
let view = null;
let viewer = null;
// The number of the last requested view; a slower, earlier one is not shown.
let turn = 0;

const views = {
  home: feedView, all: feedView, person: feedView, tag: feedView,
  post: async (...all) => (await import("./post-view.js")).postView(...all),
  search: async (...all) => (await import("./search.js")).searchView(...all),
  join: async (...all) => (await import("./join-view.js")).joinView(...all),
  invitations: async (...all) => (await import("./invitations.js")).invitationsView(...all),
  notifications: async (...all) => (await import("./notices.js")).noticesView(...all),
  setup: async (...all) => (await import("./setup-view.js")).setupView(...all),
  missing: async (_, { element }) => {
    await import("./late.js");
    element.append(h("section", { class: "empty" }, h("h1", {}, t("page.goneTitle")), h("p", {}, t("page.gone"))));
    return { title: t("page.goneTitle") };
  },
};

// The layout of lists, unless the user has chosen one.
const form = () => localStorage.getItem("tintype.form") ?? (innerWidth < 600 ? "card" : "tile");

// Members need the tools soon, and wait for answers of the service meanwhile.
if (keptUser()) import("./late.js").catch(() => {});

async function show(next, isBack = false) {
  const mine = ++turn;
  const isFirst = route === null;
  route = next;
  const element = h("div", { class: `view ${next.view}` });
  // The service has written the page of an unknown address.
  if (next.view === "missing" && !isClosed) return bringTools();
  if (isClosed) {
    document.body.toggleAttribute("data-stranger", !keptUser());
    // A stranger with an invitation leaves the form for signing in.
    if (!keptUser() && next.view !== "join") return showSignIn();
    if (isFirst) main.replaceChildren();
  }
  try {
    const shown = await views[next.view](next, { element, isBack, isFirst, form: form(), main });
    if (mine !== turn) return shown.end?.();
    view?.end?.();
    view = shown;
    document.body.dataset.view = next.view;
    // The service's HTML stays until a view that shows the same is drawn.
    if (shown.takesOver) main.append(element); else main.replaceChildren(element);
    for (const link of document.querySelectorAll("#top nav a")) {
      if (link.pathname === location.pathname) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    }
    if (!isFirst || isClosed) document.title = shown.title ? `${shown.title} · ${siteName}` : siteName;
    if (!isBack && !isFirst) {
      scrollTo({ top: 0, behavior: "instant" });
      main.focus({ preventScroll: true });
    }
    await shown.draw?.();
    if (mine !== turn || !element.isConnected) return;
    for (const other of [...main.children]) if (other !== element) other.remove();
    if (isFirst) performance.mark("first-page");
    bringTools();
    await shown.begin?.();
  } catch (error) {
    if (error.isForbidden && !keptUser()) return await showSignIn();
    console.error(error);
    main.replaceChildren(h("section", { class: "empty", role: "alert" }, h("h1", {}, t("problem.title")), h("p", {}, error.message),
      h("button", { type: "button", onclick: () => location.reload() }, t("feed.again"))));
  } finally {
    bringTools();
  }
}

let areToolsComing = false;

function bringTools() {
  if (areToolsComing) return;
  areToolsComing = true;
  // Their style sheet loads at the same time.
  preload("late.css");
  import("./tools.js").then(({ showTools }) => showTools());
}

const preload = (name) => document.head.append(h("link", { rel: "preload", as: "style", href: `/page/${name}` }));

// Offers to sign in, because the rules may allow a user what they forbid to an anonymous reader.
async function showSignIn() {
  const mine = turn;
  preload("social.css");
  // After a sign-in, the tools show the view again.
  const [{ signInView }] = await Promise.all([import("./account-dialog.js"), import("./tools.js")]);
  if (mine !== turn) return;
  view?.end?.();
  view = null;
  main.replaceChildren(signInView(closedWords));
}

main.addEventListener("forbidden", () => { if (!keptUser()) showSignIn(); });

export const showAgain = () => { if (route && !viewer?.isOpen) show(route); };

router.addEventListener("go", ({ detail: { route: next, state, isBack } }) => {
  const isOver = next.view === "post" && state.over;
  if (viewer?.isOpen && !isOver) {
    const post = viewer.post;
    viewer.hide();
    // The list is still below it.
    if (isBack && route && isSame(next, route)) return view.returned?.(post);
  }
  if (isOver && view?.feed && state.over === view.key) return openViewer(next.id, state.index ?? 0);
  return show(next, isBack);
});

const isSame = (a, b) => a.view === b.view && a.uid === b.uid && a.tag === b.tag && a.id === b.id;

router.addEventListener("leave", () => view?.leave?.());
addEventListener("pagehide", () => view?.leave?.());

// A photo of a list opens over the list, at the address of its post.
main.addEventListener("click", async (event) => {
  const link = event.target.closest("a.photo");
  const card = link?.closest("post-feed article");
  if (!card || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const index = Number(link.dataset.index) || 0;
  setAddress(link.href, { over: view.key, index }, { isNew: true });
  await openViewer(card.dataset.id, index);
});

async function openViewer(id, index) {
  viewer = (await import("./viewer.js")).theViewer();
  const post = view.feed.post(id);
  if (!post) return show({ view: "post", id });
  await viewer.open(post, index, view.feed, {
    onMove: (now) => setAddress(`/posts/${encodeURIComponent(now.id)}`, { index: 0 }),
    onClose: () => history.back(),
  });
}

begin();
