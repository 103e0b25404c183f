// How children enter their class: by its code, a name, and a picture, without an e-mail address.

import { submit } from "./account-fields.js";
import { h } from "./dom.js";
import { field, form } from "./fields.js";
import { session } from "./session.js";
import { t } from "./texts.js";

// The pictures, by the names that the service knows.
export const pictures = [
  ["anchor", "⚓"], ["apple", "🍎"], ["balloon", "🎈"], ["bell", "🔔"], ["boat", "⛵"], ["cloud", "☁️"], ["drum", "🥁"], ["fish", "🐟"],
  ["flower", "🌼"], ["house", "🏠"], ["key", "🔑"], ["kite", "🪁"], ["leaf", "🍁"], ["moon", "🌙"], ["star", "⭐"], ["sun", "☀️"],
];

let count = 0;

// A group of pictures of which one is chosen: { element, value, fail(words) }.
export function pictureChoice(label) {
  const group = `picture-${++count}`;
  const error = h("p", { class: "field-error", id: `${group}-error`, role: "alert" });
  const element = h("fieldset", { class: "picture-choice", "aria-describedby": `${group}-error` }, h("legend", {}, label),
    h("div", {}, pictures.map(([name, sign]) => h("label", {},
      h("input", { type: "radio", name: group, value: name, onchange: () => { error.textContent = ""; } }),
      h("span", { "aria-hidden": "true" }, sign), h("span", {}, t(`picture.${name}`))))), error);
  return {
    element,
    get value() { return element.querySelector("input:checked")?.value ?? ""; },
    fail(words) {
      error.textContent = words;
      if (words) element.querySelector("input").focus();
    },
  };
}

// The form of a class. `done` is called after the sign-in.
export function classForm(code, done) {
  const name = field(t("join.firstName"), { name: "name", autocomplete: "off", maxlength: 30, required: true, dir: "auto", hint: t("join.firstNameHint") });
  const picture = pictureChoice(t("join.picture"));
  const hint = h("p", { class: "faint" }, t("join.pictureHint"));
  const button = submit(t("join.join"));
  const isBack = h("input", { type: "checkbox", onchange: () => { button.textContent = t(isBack.checked ? "auth.signIn" : "join.join"); } });
  return form({ class: "class-form" }, [name], [
    name.element, picture.element, hint, h("p", {}, h("label", {}, isBack, " ", t("join.back"))), h("div", { class: "acts" }, button),
  ], {
    checks: [(text) => (text.trim() ? "" : t("auth.needName"))],
    run: async () => {
      if (!picture.value) return picture.fail(t("join.needPicture"));
      await session.enterClass(code, name.input.value.trim(), picture.value, !isBack.checked);
      done();
    },
    place: ({ code }) => (["NAME_EXISTS", "INVALID_NAME"].includes(code) ? name : null),
    say: ({ code, message }) => (code === "INVALID_LOGIN_CREDENTIALS" ? t("join.wrongPicture") : message),
  });
}
