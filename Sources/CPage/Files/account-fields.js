// The fields of forms about accounts, with their checks.

import { h } from "./dom.js";
import { field } from "./fields.js";
import { t } from "./texts.js";

// Returns the error of a name, which has at most so many characters as the service counts them (Unicode scalars).
export function lineOf(text, most) {
  const length = [...text.trim()].length;
  return length === 0 ? t("auth.needName") : length > most ? t("auth.longName", { most }) : "";
}

// The checks of values: each returns its error in words, or an empty text.
export const checks = {
  email: (text) => (/^[^\s@]+@[^\s@]+$/.test(text.trim()) ? "" : t(text.trim() ? "auth.badEmail" : "auth.needEmail")),
  password: (text) => (text ? "" : t("auth.needPassword")),
  newPassword: (text) => ([...text].length < 6 ? t("auth.weak") : ""),
  name: (text) => lineOf(text, 199),
};

export const emailField = (autocomplete) => field(t("auth.email"), { type: "email", name: "email", autocomplete, inputmode: "email", required: true });

export const newPasswordField = () => field(t("auth.password"), { type: "password", name: "password", autocomplete: "new-password", minlength: 6, required: true, hint: t("auth.passwordHint") });

export const submit = (label) => h("button", { type: "submit", class: "button primary" }, label);
