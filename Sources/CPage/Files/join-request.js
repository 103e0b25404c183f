// The forms of people without an account: for the code of their invitation, and to ask for one.

import { checks, emailField, lineOf, submit } from "./account-fields.js";
import { h } from "./dom.js";
import { field, form } from "./fields.js";
import { api } from "./http.js";
import { reasonOf } from "./reasons.js";
import { t } from "./texts.js";

// `run(code)` is the action of the form.
export function codeForm(run) {
  const code = field(t("join.code"), { name: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", required: true, hint: t("join.codeHint") });
  return form({ class: "join-code" }, [code], [code.element, h("div", { class: "acts" }, submit(t("join.next")))], {
    checks: [(text) => (text.trim() ? "" : t("join.needCode"))],
    run: () => run(code.input.value.trim()),
  });
}

export function requestForm() {
  const name = field(t("auth.name"), { name: "name", autocomplete: "name", maxlength: 100, required: true, dir: "auto" });
  const email = emailField("email");
  const words = field(t("join.words"), { tag: "textarea", name: "words", rows: 2, maxlength: 500, dir: "auto", hint: t("join.wordsHint") });
  const holder = h("details", { class: "join-request" }, h("summary", {}, t("join.ask")));
  holder.append(form({}, [name, email, words], [name.element, email.element, words.element, h("div", { class: "acts" }, submit(t("join.send")))], {
    checks: [(text) => lineOf(text, 100), checks.email, () => ""],
    run: async () => {
      const json = { name: name.input.value.trim(), email: email.input.value.trim(), text: words.input.value.replace(/\s+/g, " ").trim() };
      await api("/v1/join-requests", { method: "POST", json, anonymous: true });
      const thanks = h("p", { role: "status", tabindex: "-1" }, t("join.sent"));
      holder.replaceWith(thanks);
      thanks.focus();
    },
    say: reasonOf,
  }));
  return holder;
}
