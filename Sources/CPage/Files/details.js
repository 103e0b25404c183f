// The panel beside a photo: author and time, the text, likes, and comments.

import { avatar, likeButton, personHref, postHref, showLikes, timeElement } from "./card.js";
import { textElement } from "./text.js";
import { h } from "./dom.js";
import { stylesheet } from "./late.js";
import { pendingOperations } from "./pending.js";
import { change } from "./posts.js";

stylesheet("social.css");

// { element, update(post), end() }
export function detailsOf(post) {
  const likes = likeButton(post);
  const text = h("div", {}, post.text ? textElement(post) : null);
  const head = h("header", {}, h("a", { class: "author", href: personHref(post.uid) }, avatar(post), h("span", {}, post.name || post.uid)),
    h("a", { class: "time", href: postHref(post) }, timeElement(post.time)));
  const comments = h("section", { id: "comments" });
  const element = h("div", { class: "details" }, head, text, h("div", { class: "doings" }, likes), comments);
  const ends = [];
  let isEnded = false;
  let shownText = post.text;
  // Rarely opened parts are loaded later.
  (async () => {
    const [{ commentList }, { postMenu }, { listen }] = await Promise.all([import("./comments.js"), import("./post-menu.js"), import("./wire.js")]);
    if (isEnded) return;
    const list = commentList(post);
    comments.append(list);
    head.append(postMenu(post));
    ends.push(listen(`stats/posts/${post.id}`, (stats) => {
      // The user's pending actions are counted once the service has them.
      if (pendingOperations().some((operation) => operation.post === post.id)) return;
      change(post.id, () => ({ likes: stats?.likes ?? 0, comments: stats?.comments ?? 0 }));
    }));
  })();
  return {
    element,
    update(now) {
      showLikes(likes, now);
      if (now.text === shownText) return;
      shownText = now.text;
      text.replaceChildren(...(now.text ? [textElement(now)] : []));
    },
    end() {
      isEnded = true;
      for (const end of ends) end();
    },
  };
}
