"use strict";

// The newest posts, then those that come, then earlier ones on demand. Texts of others only ever become textContent.

const list = document.getElementById("posts");
const template = document.getElementById("post");
const empty = document.getElementById("empty");
const more = document.getElementById("more");
const skipped = document.getElementById("skipped");
const viewer = document.getElementById("viewer");

const pageSize = 24;
let cursor = null;

// MARK: A post

// The renditions that show the whole photo, else those that there are, the smallest first.
function renditionsOf(photo) {
  const all = Object.values(photo.renditions ?? {}).sort((a, b) => a.width - b.width);
  const whole = all.filter(({ width, height }) => Math.abs(width / height - photo.width / photo.height) < 0.05);
  return whole.length > 0 ? whole : all;
}

// Where this page reaches a file of the service: posts may name it by an address at which the world knows the service, while the
// page is at another one, and loads nothing from elsewhere.
function addressOf({ url }) {
  const link = document.createElement("a");  // It takes what is no address, too.
  link.href = url;
  return link.pathname + link.search;
}

// A link to the largest rendition, around a picture of the size that the page needs; null where there is no rendition.
function photoOf(photo, index, post) {
  const renditions = renditionsOf(photo);
  const chosen = renditions.find((rendition) => rendition.width >= 480) ?? renditions.at(-1);
  if (!chosen) return null;
  const image = document.createElement("img");
  image.width = chosen.width;
  image.height = chosen.height;
  image.loading = "lazy";
  image.decoding = "async";
  image.alt = photo.alt || `Photo ${index + 1} by ${post.author?.full_name ?? "somebody"}`;
  image.sizes = "(max-width: 40rem) 100vw, 22rem";
  image.srcset = renditions.map((rendition) => `${addressOf(rendition)} ${rendition.width}w`).join(", ");
  image.src = addressOf(chosen);
  image.style.backgroundColor = photo.color ?? "";
  const placeholder = placeholderURL(photo.placeholder ?? "");
  if (placeholder) image.style.backgroundImage = `url(${placeholder})`;
  image.addEventListener("error", () => showPlaceholderAlone(image), { once: true });
  const link = document.createElement("a");
  link.href = addressOf(renditions.at(-1));
  link.append(image);
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;  // Into a tab or a window of its own.
    event.preventDefault();
    open(link.href, image.alt);
  });
  return link;
}

// Of a photo whose file is not here, as in a tree that was copied without its files, the placeholder remains.
function showPlaceholderAlone(image) {
  image.removeAttribute("srcset");
  image.src = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";  // One transparent pixel.
}

// MARK: One photo, large

function open(url, description) {
  const image = viewer.querySelector("img");
  image.src = url;
  image.alt = description;
  viewer.showModal();
}

viewer.addEventListener("click", () => viewer.close());
viewer.addEventListener("close", () => viewer.querySelector("img").removeAttribute("src"));

// MARK: A post in the list

// The element of a post; null for what is none. The service tells such from posts; that of another version may not.
function elementOf(id, post) {
  try {
    return elementOfPost(id, post);
  } catch (error) {
    skip([{ path: `posts/${id}`, reason: error.message }]);
    return null;
  }
}

function elementOfPost(id, post) {
  const item = template.content.firstElementChild.cloneNode(true);
  item.dataset.id = id;
  const images = Object.values(post.photos ?? {}).map((photo, index) => photoOf(photo, index, post)).filter(Boolean);
  const photos = item.querySelector(".photos");
  photos.append(...images);
  photos.classList.toggle("several", images.length > 1);
  const text = item.querySelector(".text");
  text.textContent = post.text ?? "";
  text.hidden = !post.text;
  text.classList.toggle("alone", images.length === 0);
  item.querySelector(".author").textContent = post.author?.full_name ?? "";
  const time = item.querySelector("time");
  const date = new Date(post.timestamp);
  time.dateTime = date.toISOString();
  time.title = date.toLocaleString();
  time.textContent = relative(date);
  return item;
}

const itemOf = (id) => list.querySelector(`:scope > [data-id="${CSS.escape(id)}"]`);

// Puts posts behind those that are shown, which is the order in which the service lists them.
function append(posts) {
  for (const post of posts) {
    const item = itemOf(post.post_id) ? null : elementOf(post.post_id, post);
    if (item) list.append(item);
  }
}

// MARK: What cannot be shown

const skippedPaths = new Set();

function skip(records) {
  for (const { path, reason } of records ?? []) {
    if (skippedPaths.has(path)) continue;
    skippedPaths.add(path);
    console.warn(`${path} is no post: ${reason}`);
  }
  const count = skippedPaths.size;
  skipped.hidden = count === 0;
  const what = count === 1 ? "One record that is no post is" : `${count} records that are no posts are`;
  skipped.textContent = `${what} not shown; the browser's console names ${count === 1 ? "it" : "them"}.`;
}

// MARK: Time, in the reader's language

const format = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
const units = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60]];

function relative(date) {
  const seconds = (date.getTime() - Date.now()) / 1000;
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return unit === "second" ? format.format(0, "second") : format.format(Math.round(seconds / length), unit);
}

setInterval(() => {
  for (const time of list.querySelectorAll("time")) time.textContent = relative(new Date(time.dateTime));
}, 30000);

// MARK: Pages

// Changes that came while a page was on its way: it may be of a state before them.
let recent = [];
let loadingCount = 0;

// Reads a page and shows it; `token` is the position, in the order of all changes, of the state that it was read from.
async function load(before, showPage) {
  const query = new URLSearchParams({ limit: pageSize });
  if (before) query.set("before", before);
  loadingCount += 1;
  try {
    const response = await fetch(`v1/posts?${query}`);
    if (!response.ok) throw new Error(`the service answered ${response.status}`);
    const page = await response.json();
    const token = Number(response.headers.get("Tintype-Token"));
    if (!showPage(page, token)) return;
    append(page.posts);
    skip(page.skipped);
    cursor = page.next ?? null;
    more.hidden = !page.has_more;
    for (const change of recent) if (change.token > token) apply(change);
    showEmptiness();
  } finally {
    loadingCount -= 1;
    if (loadingCount === 0) recent = [];
  }
}

function showEmptiness() {
  empty.hidden = list.childElementCount > 0 || !more.hidden;
}

more.addEventListener("click", async () => {
  more.disabled = true;
  const [before, last] = [cursor, list.lastElementChild];
  try {
    // The list may have been read anew meanwhile.
    await load(before, () => cursor === before);
    // The button may be gone: go on where the reader was, at the first post that came.
    (last?.nextElementSibling ?? list.firstElementChild)?.querySelector("article").focus();
  } finally {
    more.disabled = false;
  }
});

// MARK: New ones, by themselves

const live = document.getElementById("live");

function show(state, text) {
  live.dataset.state = state;
  live.textContent = text;
}

// The state of which the list was read, as a position in the order of all changes; null while it is to be read.
let listed = null;
// The state that a list has to have at least.
let wanted = 0;
let isLive = false;

async function loadNewest() {
  try {
    await load(null, (page, token) => {
      if (listed !== null || token < wanted) return false;
      listed = token;
      following.seen(token);
      list.replaceChildren();
      return true;
    });
    if (isLive) show("live", "live");
  } catch (error) {
    show("offline", error.message);
    setTimeout(() => { if (listed === null) loadNewest(); }, 5000);
  }
}

function apply({ id, post, token, position }) {
  if (listed === null || token <= listed) return;
  const shown = itemOf(id);
  const item = post && elementOf(id, post);
  if (post === null) {
    shown?.remove();
  } else if (item && shown) {
    shown.replaceWith(item);
  } else if (item && Number.parseInt(position, 10) === token) {
    // New. Others were published before, and come with their pages.
    item.classList.add("new");
    list.prepend(item);
  }
  showEmptiness();
}

const following = followPosts({
  connected() {
    isLive = true;
    show("live", "live");
    if (listed === null) loadNewest();
  },
  disconnected() {
    isLive = false;
    show("offline", "reconnecting…");
  },
  changed(change) {
    if (loadingCount > 0) recent.push(change);
    apply(change);
  },
  reset(token) {
    [listed, wanted] = [null, token];
    loadNewest();
  },
});
