// A post as a tile of the grid: its first photo, or its text.

import { articleOf, likeButton, personHref, postHref, showLikes } from "./card.js";
import { h, icon, icons } from "./dom.js";
import { altOf, listed, photoElement } from "./photo.js";
import { ratioOf } from "./posts.js";
import { t } from "./texts.js";

// The ratio of width to height of a tile. Very long pictures are cropped.
export function ratio(post) {
  return post.photos.length > 0 ? Math.min(2.6, Math.max(0.55, ratioOf(post.photos[0]))) : 1.25;
}

// `isEager` for a tile that replaces another one.
export function element(post, { isEager, sizes }) {
  const author = h("a", { class: "author", href: personHref(post.uid) }, post.name || post.uid);
  const [photo] = post.photos;
  const face = photo
    ? h("a", { class: "photo", href: postHref(post), dataset: { index: 0 } },
      photoElement(photo, { alt: altOf(post, 0), sizes, renditions: listed(photo), isEager }))
    : h("a", { class: "photo words", href: postHref(post), dir: "auto" }, post.text);
  const several = post.photos.length > 1
    && h("span", { class: "several" }, icon(icons.album), h("span", { class: "hidden-visually" }, t("card.photos", { count: post.photos.length })));
  return articleOf(post, "tile", [face, several, h("div", { class: "over" }, author, likeButton(post))]);
}

// Shows changed counts, without creating the element again.
export function showNumbers(element, post) {
  showLikes(element.querySelector(".like"), post);
}
