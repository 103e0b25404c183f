// The accounts of a class whose people have no e-mail address, for the owners of the class.

import { submit } from "./account-fields.js";
import { pictureChoice } from "./class-form.js";
import { confirmed, openDialog } from "./dialogs.js";
import { h } from "./dom.js";
import { form } from "./fields.js";
import { api, apiJSON } from "./http.js";
import { reasonOf } from "./reasons.js";
import { announce, toast } from "./shell.js";
import { t } from "./texts.js";

// Returns the section of a class: one element, or none if the class has no such accounts.
export async function classAccounts({ id, name }) {
  const path = `/v1/audiences/${encodeURIComponent(id)}/accounts`;
  const { accounts } = await apiJSON(path).catch(() => ({ accounts: [] }));
  if (accounts.length === 0) return [];
  const rows = accounts.map((account) => row(account, `${path}/${encodeURIComponent(account.uid)}`));
  return [h("section", {}, h("h2", { dir: "auto" }, t("invite.children", { name })), h("ul", { class: "invitation-list" }, rows))];
}

function row({ name }, path) {
  const reset = h("button", { type: "button", class: "button", onclick: () => choosePicture(name, path) }, t("invite.newPicture"));
  const remove = h("button", { type: "button", class: "button", onclick: async () => {
    if (!await confirmed(t("invite.removeChild"), t("invite.removeChildWords", { name }), t("invite.removeChild"))) return;
    try {
      await api(path, { method: "DELETE" });
      element.remove();
      announce(t("invite.removed", { name }));
    } catch (problem) {
      toast(reasonOf(problem), { isProblem: true });
    }
  } }, t("invite.removeChild"));
  for (const button of [reset, remove]) button.ariaLabel = `${button.textContent}: ${name}`;
  const element = h("li", {}, h("p", { dir: "auto" }, name), h("div", { class: "acts" }, reset, remove));
  return element;
}

function choosePicture(name, path) {
  const picture = pictureChoice(t("invite.pictureOf", { name }));
  const element = form({}, [], [picture.element, h("div", { class: "acts end" }, submit(t("people.save")))], {
    checks: [],
    run: async () => {
      if (!picture.value) return picture.fail(t("join.needPicture"));
      await api(path, { method: "PUT", json: { picture: picture.value } });
      dialog.close();
      announce(t("people.saved"));
    },
    say: reasonOf,
  });
  const dialog = openDialog(t("invite.newPicture"), element, { name: "picture" });
}
