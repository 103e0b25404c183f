// The user's own profile: name, description and picture.

import { avatar } from "./card.js";
import { openDialog } from "./dialogs.js";
import { h } from "./dom.js";
import { field, form } from "./fields.js";
import { api, apiJSON } from "./http.js";
import { personOf } from "./people.js";
import { tell } from "./posts.js";
import { reasonOf } from "./reasons.js";
import { session } from "./session.js";
import { announce, toast } from "./shell.js";
import { t } from "./texts.js";

export async function editProfile() {
  const { uid, name } = session.user;
  const path = `/v1/people/${encodeURIComponent(uid)}`;
  let person;
  try {
    person = personOf(await apiJSON(path));
  } catch (problem) {
    if (problem.status !== 404) return toast(reasonOf(problem), { isProblem: true });
    person = personOf({ uid, full_name: name });
  }
  const nameField = field(t("auth.name"), { name: "name", autocomplete: "name", maxlength: 199, required: true, dir: "auto", value: person.name });
  const bio = field(t("people.bio"), { tag: "textarea", name: "bio", rows: 3, maxlength: 1999, dir: "auto", hint: t("people.bioHint") });
  bio.input.value = person.bio ?? "";
  const element = form({}, [nameField, bio], [nameField.element, bio.element, h("div", { class: "acts end" },
    h("button", { type: "submit", class: "button primary" }, t("people.save")))], {
    checks: [(text) => (text.trim() ? "" : t("auth.needName"))],
    run: async () => {
      const json = { full_name: nameField.input.value.trim(), bio: bio.input.value.trim() || null };
      show(await apiJSON(path, { method: "PATCH", json }));
      dialog.close();
      announce(t("people.saved"));
    },
    say: reasonOf,
  });
  const dialog = openDialog(t("people.edit"), [pictureForm(person, path), element], { name: "profile" });
}

// Shows the change everywhere.
function show(answer) {
  const { uid, name, picture } = personOf(answer);
  session.update({ name, picture });
  tell("person", { uid });
}

// The picture has a form of its own: it may be large, and is stored as soon as it is uploaded.
function pictureForm(person, path) {
  const words = h("p", { class: "faint", role: "status" });
  const error = h("p", { class: "field-error", role: "alert" });
  const holder = h("div", { class: "picture" });
  const input = h("input", { type: "file", accept: "image/*", class: "hidden-visually", tabindex: "-1", "aria-hidden": "true", onchange: () => send(input.files[0]) });
  const choose = h("button", { type: "button", class: "button", onclick: () => input.click() }, t("people.choosePicture"));
  const remove = h("button", { type: "button", class: "button", onclick: () => change({ method: "DELETE" }) }, t("people.removePicture"));
  showPicture();

  function showPicture() {
    holder.replaceChildren(avatar(person));
    remove.hidden = !person.picture;
  }

  async function send(file) {
    if (!file) return;
    // If the browser does not know the type, the service inspects the bytes.
    await change({ method: "PUT", body: file, headers: { "Content-Type": file.type || "application/octet-stream" } });
    input.value = "";
  }

  async function change(request) {
    error.textContent = "";
    words.textContent = t("people.sending");
    choose.disabled = remove.disabled = true;
    try {
      const response = await api(`${path}/avatar`, request);
      if (response.status === 202) {
        words.textContent = t("people.pictureLater");
      } else {
        const answer = response.status === 204 ? { uid: person.uid, full_name: person.name } : await response.json();
        person.picture = personOf(answer).picture;
        words.textContent = t(person.picture ? "people.pictureSaved" : "people.pictureRemoved");
        session.update({ picture: person.picture });
        tell("person", { uid: person.uid });
      }
    } catch (problem) {
      words.textContent = "";
      error.textContent = reasonOf(problem);
    }
    choose.disabled = remove.disabled = false;
    const hadFocus = document.activeElement === document.body || document.activeElement === remove;
    showPicture();
    if (hadFocus) choose.focus();
  }

  return h("div", { class: "picture-form" }, holder, h("div", {}, h("div", { class: "acts" }, choose, remove, input), words, error));
}
