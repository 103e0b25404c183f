"use strict";

// The newest posts, then those that come, then earlier ones on demand. Texts of others only ever become textContent.

const list = document.getElementById("posts");
const template = document.getElementById("post");
const empty = document.getElementById("empty");
const more = document.getElementById("more");
const live = document.getElementById("live");

const pageSize = 24;
let cursor = null;

// MARK: A post

function photoOf(photo) {
  const renditions = Object.values(photo.renditions ?? {})
    .filter((rendition) => Math.abs(rendition.width / rendition.height - photo.width / photo.height) < 0.05)
    .sort((a, b) => a.width - b.width);
  const chosen = renditions.find((rendition) => rendition.width >= 480) ?? renditions.at(-1);
  if (!chosen) return null;
  const image = document.createElement("img");
  image.width = chosen.width;
  image.height = chosen.height;
  image.loading = "lazy";
  image.decoding = "async";
  image.alt = "";
  image.sizes = "(max-width: 40rem) 100vw, 22rem";
  image.srcset = renditions.map((rendition) => `${rendition.url} ${rendition.width}w`).join(", ");
  image.src = chosen.url;
  return image;
}

function elementOf(id, post) {
  const item = template.content.firstElementChild.cloneNode(true);
  item.dataset.id = id;
  const images = (post.photos ?? []).map(photoOf).filter(Boolean);
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
  item.classList.toggle("new", isNew);
  list.insertBefore(item, next);
  empty.hidden = true;
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
  if (isFirst) {
    cursor = page.next ?? null;
    more.hidden = !page.has_more;
  }
  empty.hidden = list.childElementCount > 0;
}

more.addEventListener("click", async () => {
  more.disabled = true;
  try {
    const page = await load(cursor);
    for (const post of page.posts) place(post.post_id, post, false);
    cursor = page.next ?? null;
    more.hidden = !page.has_more;
  } finally {
    more.disabled = false;
  }
});

// MARK: New ones, by themselves

function show(state, text) {
  live.dataset.state = state;
  live.textContent = text;
}

// Reading the newest page at every (re)connection brings what came while nobody listened.
function follow() {
  const events = new EventSource("v1/posts/events");
  events.addEventListener("open", () => {
    show("live", "live");
    loadNewest().catch((error) => show("offline", error.message));
  });
  events.addEventListener("put", (event) => {
    const { path, data } = JSON.parse(event.data);
    place(path.slice(1), data, true);
  });
  events.addEventListener("error", () => {
    show("offline", "reconnecting…");
    if (events.readyState === EventSource.CLOSED) setTimeout(follow, 5000);
  });
}

follow();
