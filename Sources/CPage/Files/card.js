// The common parts of tiles, cards and everything else that shows posts.

import { h, icon, icons } from "./dom.js";
import { pictureOf } from "./http.js";
import { altOf } from "./photo.js";
import { ago, exactly, t } from "./texts.js";

export const postHref = (post) => `/posts/${encodeURIComponent(post.id)}`;
export const personHref = (uid) => `/people/${encodeURIComponent(uid)}`;

export function avatar(person) {
  const letter = h("span", { "aria-hidden": "true" }, [...(person.name || person.uid || "?")][0].toUpperCase());
  if (!person.picture) return h("span", { class: "avatar" }, letter);
  const image = h("img", { alt: "", loading: "lazy", decoding: "async", width: 40, height: 40 });
  const box = h("span", { class: "avatar" }, image);
  if ("closed" in document.body.dataset) {
    pictureOf(person.picture).then((address) => { image.src = address; }, () => box.replaceChildren(letter));
  } else {
    image.src = person.picture;
  }
  return box;
}

export function timeElement(time) {
  return h("time", { datetime: new Date(time).toISOString(), title: exactly(time), dataset: { time } }, ago(time));
}

function labelOf(post) {
  const what = post.photos.length === 0 ? post.text.slice(0, 80) : altOf(post, 0);
  return t("card.label", { name: post.name || post.uid, what, time: ago(post.time) });
}

// A button that shows the number of likes, and adds or removes one.
export function likeButton(post) {
  const button = h("button", { type: "button", class: "like", onclick: async () => (await import("./actions.js")).like(post.id, button.ariaPressed !== "true") },
    icon(icons.heart), h("span", { class: "count" }));
  showLikes(button, post);
  return button;
}

export function showLikes(button, post) {
  button.ariaPressed = String(post.liked);
  button.querySelector(".count").textContent = post.likes > 0 ? String(post.likes) : "";
  button.ariaLabel = t(post.liked ? "card.unlike" : "card.like", { count: post.likes });
}

// The element of a post in a list.
export function articleOf(post, form, parts) {
  const article = h("article", { class: form, tabindex: "-1", "aria-label": labelOf(post), dataset: { id: post.id } }, parts);
  article.classList.toggle("textual", post.photos.length === 0);
  return article;
}
