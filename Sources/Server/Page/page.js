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
  image.srcset = renditions.map((rendition) => `${rendition.url} ${rendition.width}w`).join(", ");
  image.src = chosen.url;
  image.style.backgroundColor = photo.color ?? "";
  const placeholder = placeholderURL(photo.placeholder ?? "");
  if (placeholder) image.style.backgroundImage = `url(${placeholder})`;
  image.addEventListener("error", () => showPlaceholderAlone(image), { once: true });
  const link = document.createElement("a");
  link.href = renditions.at(-1).url;
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

// Ids are ordered by time: each post stands before the first that is older, and once.
function place(id, post, isNew) {
  let next = list.firstElementChild;
  while (next && next.dataset.id > id) next = next.nextElementSibling;
  if (next?.dataset.id === id) return;
  const item = elementOf(id, post);
  if (!item) return;
  item.classList.toggle("new", isNew);
  list.insertBefore(item, next);
  empty.hidden = true;
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

async function load(before) {
  const query = new URLSearchParams({ limit: pageSize });
  if (before) query.set("before", before);
  const response = await fetch(`v1/posts?${query}`);
  if (!response.ok) throw new Error(`the service answered ${response.status}`);
  return response.json();
}

async function loadNewest() {
  const page = await load(null);
  const known = new Set([...list.children].map((item) => item.dataset.id));
  // A page of which nothing is known leaves a gap behind it: begin anew.
  const isFirst = !page.posts.some((post) => known.has(post.post_id));
  if (isFirst) list.replaceChildren();
  for (const post of page.posts) place(post.post_id, post, !isFirst);
  skip(page.skipped);
  if (isFirst) {
    cursor = page.next ?? null;
    more.hidden = !page.has_more;
  }
  empty.hidden = list.childElementCount > 0 || page.has_more;
}

more.addEventListener("click", async () => {
  more.disabled = true;
  try {
    const page = await load(cursor);
    for (const post of page.posts) place(post.post_id, post, false);
    skip(page.skipped);
    cursor = page.next ?? null;
    more.hidden = !page.has_more;
    // The button may be gone: go on where the reader was, at the first post that came.
    const first = page.posts.map((post) => list.querySelector(`[data-id="${CSS.escape(post.post_id)}"] article`)).find(Boolean);
    first?.focus();
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

// Reading the newest page at every (re)connection brings what came while nobody listened.
followPosts({
  connected() {
    show("live", "live");
    loadNewest().catch((error) => show("offline", error.message));
  },
  disconnected: () => show("offline", "reconnecting…"),
  published: (id, post) => place(id, post, true),
});
