// Posts in the page's form: { id, position, uid, name, picture, time, text, mentions, photos, likes, comments, liked,
// first }.
// A photo is { width, height, hash, color, alt, renditions: [{ url, width, height }] }, the smallest rendition first.

import { pendingOperations } from "./pending.js";

// Events of changed posts: "change" with { id, fields }, where `fields` is a function from a post to its changed
// fields.
export const changes = new EventTarget();

export function change(id, fields) {
  changes.dispatchEvent(new CustomEvent("change", { detail: { id, fields } }));
}

// Events of the user's actions: "follow" with { uid, isOn }, "comment" with { post, comment }, "deleted" with { id },
// and so on: see actions.js.
export const doings = new EventTarget();

export function tell(type, detail) {
  doings.dispatchEvent(new CustomEvent(type, { detail }));
}

// The size of a photo itself, not its size on the screen.
const sizeOf = (image) => ({ width: Number(image.getAttribute("width")), height: Number(image.getAttribute("height")) });

// Reads a post from the service's HTML.
export function postOfItem(item) {
  const { id, position, uid, likes, comments, time } = item.dataset;
  return withPending({
    id, uid, position: Number.parseInt(position, 10) || 0, name: item.querySelector(".author")?.textContent ?? "",
    picture: item.dataset.picture ?? null, time: Number(time), text: item.querySelector(".text")?.textContent ?? "",
    mentions: [...item.querySelectorAll(".text a[data-start]")].map(({ dataset }) => ({
      uid: dataset.uid, start: Number(dataset.start), length: Number(dataset.length),
    })),
    photos: [...item.querySelectorAll(".photo img")].map((image) => ({
      ...sizeOf(image), hash: image.dataset.hash ?? "", color: image.dataset.color ?? "",
      alt: image.dataset.alt ?? "",
      renditions: [image.getAttribute("srcset"), image.dataset.larger].filter(Boolean).join(", ").split(", ").filter(Boolean).map((part) => {
        const [url, size] = part.split(" ");
        const width = Number.parseInt(size, 10);
        return { url, width, height: Math.round(width / ratioOf(sizeOf(image))) };
      }),
    })),
    likes: Number(likes) || 0, comments: Number(comments) || 0, liked: false, first: [],
  });
}

// Applies the user's pending actions, which the service does not have yet.
export function withPending(post) {
  for (const operation of pendingOperations()) {
    if (operation.kind === "like" && operation.post === post.id && operation.isOn !== post.liked) {
      post.liked = operation.isOn;
      post.likes += operation.isOn ? 1 : -1;
    }
    if (operation.kind === "editPost" && operation.post === post.id) post.text = operation.text;
  }
  return post;
}

// The ratio of width to height; 1.5 if it is unknown.
export const ratioOf = ({ width, height }) => (width > 0 && height > 0 ? width / height : 1.5);
