// One comment of a list.

import { avatar, personHref, timeElement } from "./card.js";
import { textElement } from "./text.js";
import { flag } from "./blocks.js";
import { h, icon } from "./dom.js";
import { icons } from "./late.js";
import { menuButton } from "./menu.js";
import { personOf } from "./people.js";
import { session } from "./session.js";
import { t } from "./texts.js";

// The row of a comment. `isPending` if it is still being sent; `onEdit` and `onDelete` if the reader may do so.
export function commentRow(post, comment, { isPending, onEdit, onDelete }) {
  const author = personOf(comment.author ?? {});
  const isOwn = session.user?.uid === author.uid;
  const items = () => [
    isOwn && { label: t("comments.edit"), run: onEdit },
    (isOwn || session.user?.uid === post.uid) && { label: t("comments.delete"), run: onDelete, isDangerous: true },
    !isOwn && { label: t("people.flag"), run: () => flag(post.id, comment.comment_id) },
  ].filter(Boolean);
  const more = !isPending && menuButton({ class: "plain-button", "aria-label": t("comments.more", { name: author.name }) }, icon(icons.more), items);
  return h("li", { class: isPending ? "comment pending" : "comment", dataset: { id: comment.comment_id } },
    avatar(author),
    h("div", { class: "said" },
      h("p", { class: "by" }, h("a", { class: "author", href: personHref(author.uid) }, h("span", { dir: "auto" }, author.name)), " ",
        isPending ? h("span", { class: "faint" }, t("comments.sending"))
          : h("span", { class: "faint" }, timeElement(comment.timestamp), comment.edited ? ` · ${t("comments.edited")}` : null)),
      textElement({ text: comment.text ?? "", mentions: Object.values(comment.mentions ?? {}) })),
    more);
}
