// The menu of a post: its author can change and delete it, others can flag it and block its author.

import { deletePost, editPost } from "./actions.js";
import { block, flag } from "./blocks.js";
import { postHref } from "./card.js";
import { confirmed, openDialog } from "./dialogs.js";
import { h, icon } from "./dom.js";
import { icons } from "./late.js";
import { menuButton } from "./menu.js";
import { outbox } from "./outbox.js";
import { session } from "./session.js";
import { reasonOf } from "./reasons.js";
import { announce, toast } from "./shell.js";
import { t } from "./texts.js";
import { writingForm } from "./writing.js";

// A button with the menu of a post.
export function postMenu(post) {
  const name = post.name || post.uid;
  return menuButton({ class: "plain-button post-menu", "aria-label": t("post.more", { name }) }, icon(icons.more), () => {
    const isOwn = session.user?.uid === post.uid;
    return [
      isOwn && { label: t("post.edit"), run: () => editText(post) },
      { label: t("post.copy"), run: () => copyLink(post) },
      navigator.share && { label: t("post.share"), run: () => navigator.share({ title: t("post.by", { name }), url: addressOf(post) }).catch(() => {}) },
      isOwn && { label: t("post.delete"), isDangerous: true, run: () => askAndDelete(post) },
      !isOwn && { label: t("people.flag"), run: () => flag(post.id) },
      !isOwn && { label: t("people.blockName", { name }), isDangerous: true, run: () => block(post.uid, name, true) },
    ].filter(Boolean);
  });
}

const addressOf = (post) => new URL(postHref(post), location.href).href;

// `written` is the text that was typed before, if the service has refused it for `reason`.
function editText(post, { text, mentions } = post, reason = "") {
  const form = writingForm({
    label: t("post.text"), sendLabel: t("people.save"), canBeEmpty: post.photos.length > 0, onCancel: () => dialog.close(),
    onSend: (written) => {
      if (written.text !== post.text) editPost(post, written.text, written.mentions);
      dialog.close();
      announce(t("people.saved"));
    },
  });
  form.set({ text, mentions });
  const dialog = openDialog(t("post.edit"), form.element, { name: "edit-post" });
  form.textarea.focus();
  if (reason) form.say(reason);
}

async function askAndDelete(post) {
  if (await confirmed(t("post.deleteTitle"), t("post.deleteWords"), t("post.delete"))) deletePost(post);
}

async function copyLink(post) {
  const address = addressOf(post);
  try {
    // Only available if the page was loaded by https, or from this machine.
    await navigator.clipboard.writeText(address);
    toast(t("post.copied"));
  } catch {
    const input = h("input", { readonly: true, value: address, autofocus: true, "aria-label": t("post.copy") });
    openDialog(t("post.copy"), h("div", { class: "field" }, input), { name: "link", isLight: true });
    input.select();
  }
}

// A refused text is not lost: it can be changed and sent again.
outbox.addEventListener("refused", ({ detail: { operation, problem } }) => {
  if (operation.kind !== "editPost" || operation.uid !== session.user?.uid) return;
  const { text, mentions } = operation.request.json;
  const post = { id: operation.post, photos: [], ...operation.before };
  toast(t("post.textKept"), { action: { label: t("post.edit"), run: () => editText(post, { text, mentions: mentions ?? [] }, reasonOf(problem)) } });
});
