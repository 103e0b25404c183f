// A single post, at its own address.

import { altOf, photoElement } from "./photo.js";
import { postOf } from "./post-json.js";
import { changes, doings, ratioOf } from "./posts.js";
import { detailsOf } from "./details.js";
import { apiJSON } from "./http.js";
import { h } from "./dom.js";
import { stylesheet } from "./late.js";
import { t } from "./texts.js";
import { keptUser } from "./who.js";

stylesheet("viewer.css");

// Whether the signed-in user likes a post: the response with a single post does not contain it.
async function isLiked(id) {
  const user = keptUser();
  if (!user) return false;
  return apiJSON(`/likes/${encodeURIComponent(id)}/${user.uid}.json`).then((time) => time !== null, () => false);
}

export async function postView(route, { element }) {
  let post;
  try {
    const [json, liked] = await Promise.all([apiJSON(`/v1/posts/${encodeURIComponent(route.id)}`), isLiked(route.id)]);
    post = postOf({ ...json, liked });
  } catch (problem) {
    if (problem.isPassing || (problem.isForbidden && !keptUser())) throw problem;
    element.append(h("section", { class: "empty" }, h("h1", {}, t("post.goneTitle")), h("p", {}, t("post.gone")),
      h("p", {}, h("a", { class: "button", href: "/all" }, t("nav.all")))));
    return { title: t("post.goneTitle") };
  }
  const details = detailsOf(post);
  const photos = post.photos.map((photo, index) => {
    const box = photoElement(photo, { alt: altOf(post, index), sizes: "(max-width: 60rem) 100vw, 60rem", isEager: index === 0, isFirst: index === 0 });
    box.style.setProperty("--ratio", ratioOf(photo));
    return box;
  });
  element.append(h("h1", { class: "hidden-visually" }, t("post.by", { name: post.name || post.uid })),
    h("article", { class: "single", dataset: { id: post.id } }, h("div", { class: "photos" }, photos), h("aside", { class: "side" }, details.element)));
  const changed = ({ detail: { id, fields } }) => {
    if (id !== post.id) return;
    Object.assign(post, fields(post));
    details.update(post);
  };
  const deleted = ({ detail: { id } }) => {
    if (id === post.id) location.assign("/");
  };
  changes.addEventListener("change", changed);
  doings.addEventListener("deleted", deleted);
  return {
    title: post.text ? post.text.slice(0, 60) : t("post.by", { name: post.name || post.uid }),
    end() {
      details.end();
      changes.removeEventListener("change", changed);
      doings.removeEventListener("deleted", deleted);
    },
  };
}
