// A post as a card of the feed: all its photos, its text, and its first comments.

import { articleOf, avatar, likeButton, personHref, postHref, showLikes, timeElement } from "./card.js";
import { h, icon, icons } from "./dom.js";
import { altOf, listed, photoElement } from "./photo.js";
import { ratioOf } from "./posts.js";
import { textElement } from "./text.js";
import { t } from "./texts.js";

// The widths of photos: a single one of the whole width, and one of two beside each other.
const whole = "(max-width: 40rem) 100vw, 38rem";
const half = "(max-width: 40rem) 50vw, 19rem";

// `isEager` for a card that replaces another one.
export function element(post, { isEager }) {
  const head = h("header", {}, h("a", { class: "author", href: personHref(post.uid) }, avatar(post), h("span", {}, post.name || post.uid)),
    h("a", { class: "time", href: postHref(post) }, timeElement(post.time)));
  const comments = h("a", { class: "comments", href: `${postHref(post)}#comments`, "aria-label": t("card.comments", { count: post.comments }) },
    icon(icons.comment), h("span", { class: "count" }, post.comments > 0 ? String(post.comments) : ""));
  return articleOf(post, "card", [
    head,
    post.photos.length > 0 && photosElement(post, isEager),
    h("div", { class: "doings" }, likeButton(post), comments),
    post.text && textElement(post),
    post.first.length > 0 && h("ul", { class: "first" }, post.first.map(commentElement)),
  ]);
}

function commentElement(comment) {
  const name = comment.author?.full_name ?? comment.author?.uid ?? "";
  return h("li", { dir: "auto" }, h("a", { class: "author", href: personHref(comment.author?.uid ?? "") }, name), " ", comment.text ?? "");
}

// The photos of a post beside each other, the first of them large.
function photosElement(post, isEager) {
  const shown = post.photos.slice(0, 4);
  return h("div", { class: "photos", dataset: { count: Math.min(post.photos.length, 4) } }, shown.map((photo, index) => {
    const sizes = shown.length === 1 || (shown.length === 3 && index === 0) ? whole : half;
    const link = h("a", { href: postHref(post), class: "photo", dataset: { index } },
      photoElement(photo, { alt: altOf(post, index), sizes, renditions: listed(photo), isEager }));
    if (shown.length === 1) link.style.setProperty("--ratio", Math.min(2.6, Math.max(0.7, ratioOf(photo))));
    if (index === 3 && post.photos.length > 4) link.append(h("span", { class: "further", "aria-hidden": "true" }, `+${post.photos.length - 4}`));
    return link;
  }));
}

// Shows changed counts, without creating the element again.
export function showNumbers(element, post) {
  showLikes(element.querySelector(".like"), post);
  const comments = element.querySelector(".comments");
  comments.querySelector(".count").textContent = post.comments > 0 ? String(post.comments) : "";
  comments.ariaLabel = t("card.comments", { count: post.comments });
}
