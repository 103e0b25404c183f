// The views that are lists of posts: home, all, a person's posts, and those of a hashtag.

import "./feed.js";
import { h } from "./dom.js";
import { readAhead } from "./feed-source.js";
import { followsNobody } from "./following.js";
import { postOfItem } from "./posts.js";
import { t } from "./texts.js";
import { keptUser } from "./who.js";

const all = { list: "/v1/posts", events: "/v1/posts/events", accepts: () => true };

// Where this browser keeps who followed somebody the last time.
const followPlace = "tintype.follows";

// The source of a member's home. Its first page is requested before the answer whether the member follows anybody.
async function homeOf(user, isReturning) {
  const list = `/v1/people/${user.uid}/feed`;
  const label = t("nav.home");
  const followed = { list, events: `${list}/events`, accepts: () => true, label, empty: () => empty("home") };
  // An empty home feed shows everything.
  const everything = { ...all, label, words: t("feed.everything"), empty: () => empty("service") };
  if (!isReturning) readAhead(localStorage.getItem(followPlace) === user.uid ? followed : everything);
  const isAlone = await followsNobody();
  remember(isAlone ? null : user.uid);
  return isAlone ? everything : followed;
}

function remember(uid) {
  try {
    if (uid === null) localStorage.removeItem(followPlace); else localStorage.setItem(followPlace, uid);
  } catch {
    // Without it, the first page is requested a little later.
  }
}

// The source of a list. A reader who returns to a position needs other pages than the first one.
async function sourceOf(route, isReturning) {
  const user = keptUser();
  // Where posts are for audiences, such as classes, the lists of everybody's posts are those of the reader's audiences.
  if (["home", "all"].includes(route.view) && user && "stories" in document.body.dataset) {
    return { list: `/v1/people/${user.uid}/stories`, events: null, accepts: () => true, label: t("nav.home"), empty: () => empty("service") };
  }
  if (route.view === "home" && user) return homeOf(user, isReturning);
  if (route.view === "person") {
    const list = `/v1/people/${encodeURIComponent(route.uid)}/posts`;
    return { ...all, list, accepts: ({ uid }) => uid === route.uid, label: t("feed.ofPerson"), empty: () => empty("person") };
  }
  if (route.view === "tag") {
    const list = `/v1/hashtags/${encodeURIComponent(route.tag)}/posts`;
    return { ...all, list, accepts: async ({ text }) => (await import("./text.js")).tagsOf(text).includes(route.tag), label: `#${route.tag}`, empty: () => empty("tag") };
  }
  return { ...all, label: t("nav.all"), empty: () => empty("service") };
}

// The text of a list without posts, which is loaded when it is needed.
function empty(name) {
  const box = h("section", { class: "empty" });
  import("./empty.js").then((parts) => parts[name](box));
  return box;
}

async function headingOf(route) {
  if (route.view === "person") {
    const { personHeader } = await import("./people.js");
    return personHeader(route.uid);
  }
  if (route.view === "tag") return h("header", { class: "heading" }, h("h1", {}, `#${route.tag}`));
  return h("h1", { class: "hidden-visually" }, route.view === "home" ? t("nav.home") : t("nav.all"));
}

// The list in the service's HTML; null if it differs from what the signed-in user would see.
function written(main, isFirst) {
  const list = main.querySelector("ol#posts");
  if (!isFirst || keptUser() || !list || new URL(location.href).searchParams.has("before")) return null;
  const { next, token } = list.dataset;
  return { posts: [...list.children].map(postOfItem), next: next ?? null, hasMore: next !== undefined, token: Number(token) };
}

const place = "tintype.places";
// The module for the reader's position; loaded once a list is shown.
let places = null;

// The reader's last positions in this tab, by the keys of the history's entries.
function savedPlaces() {
  try {
    return JSON.parse(sessionStorage.getItem(place)) ?? [];
  } catch {
    return [];
  }
}

export async function feedView(route, { element, state, isBack, isFirst, form, main }) {
  const earlier = isBack || isFirst ? savedPlaces() : [];
  const source = await sourceOf(route, earlier.some(({ key }) => key.startsWith(`${history.state.key}/`)));
  const feed = document.createElement("post-feed");
  const key = `${history.state.key}/${keptUser()?.uid ?? ""}${source.list}`;
  const saved = earlier.find((saved) => saved.key === key)?.state;
  const first = saved ? null : written(main, isFirst);
  const heading = await headingOf(route);
  element.append(heading, ...(source.words ? [h("p", { class: "heading everything" }, source.words)] : []), feed);
  return {
    feed, key: history.state.key,
    title: route.view === "tag" ? `#${route.tag}` : route.view === "person" ? heading.querySelector("h1")?.textContent ?? route.uid : source.label,
    takesOver: first !== null,
    draw: () => feed.draw({ source, form, first, saved }),
    async begin() {
      await feed.begin();
      places = await import("./feed-places.js");
    },
    leave() {
      if (!feed.isConnected || feed.pages.length === 0 || !places) return;
      const others = savedPlaces().filter((saved) => saved.key !== key).slice(-9);
      try {
        sessionStorage.setItem(place, JSON.stringify([...others, { key, state: places.placeOf(feed) }]));
      } catch {
        // Without storage, the reader returns to the top.
      }
    },
    returned: (post) => { if (post) places?.reveal(feed, post.id); },
  };
}
