// The page that the links of invitations open: what the invitation is for, and the form that uses it.

import { askToSignIn } from "./account-dialog.js";
import { checks, emailField, newPasswordField, submit } from "./account-fields.js";
import { classForm } from "./class-form.js";
import { h } from "./dom.js";
import { field, form } from "./fields.js";
import { apiJSON } from "./http.js";
import { codeForm, requestForm } from "./join-request.js";
import { stylesheet } from "./late.js";
import { reasonOf } from "./reasons.js";
import { navigate } from "./router.js";
import { session } from "./session.js";
import { announce } from "./shell.js";
import { t } from "./texts.js";

export async function joinView(route, { element }) {
  await stylesheet("social.css");
  await stylesheet("join.css");
  let turn = 0;

  // Shows the invitation in the address. Its code does not stay there: it would be in the history, and in pictures of
  // the screen.
  async function read() {
    const code = decoded(location.hash.slice(1));
    if (location.hash) history.replaceState(history.state, "", "/join");
    if (code) await show(code); else await draw(entry());
  }

  async function show(code) {
    const mine = ++turn;
    await draw(h("p", { role: "status" }, t("join.checking")));
    let parts;
    try {
      const purpose = await apiJSON("/v1/invitations/check", { method: "POST", json: { code }, anonymous: true });
      parts = invitation(code, purpose);
    } catch (problem) {
      parts = refusal(problem, code);
    }
    if (mine === turn) await draw(parts);
  }

  function draw(parts) {
    element.replaceChildren(h("section", { class: "join" }, parts));
    const title = element.querySelector("h1");
    title?.focus({ preventScroll: true });
  }

  // MARK: Parts

  function entry(words = null) {
    return [
      heading(t("join.title")), words && h("p", { role: "alert" }, words), codeForm(show),
      "requests" in document.body.dataset && requestForm(),
    ];
  }

  function refusal(problem, code) {
    const name = problem.code.replace("invitation_", "");
    const known = ["unknown", "elsewhere", "expired", "used_up", "withdrawn"].includes(name);
    const words = known ? t(`join.${name}`) : reasonOf(problem);
    const again = !known && h("div", { class: "acts" }, h("button", { type: "button", class: "button", onclick: () => show(code) }, t("feed.again")));
    return [...entry(words), again];
  }

  function invitation(code, purpose) {
    const target = purpose.audience_name ?? purpose.service;
    const title = purpose.by ? t("join.invitedBy", { name: purpose.by, target }) : t("join.invited", { target });
    if (session.user) return [heading(title), member(code, purpose)];
    if (!purpose.admits) return [heading(title), h("p", {}, t("join.membersOnly")), signInButton(code)];
    if (!purpose.needs_address) return [heading(title), classForm(code, done)];
    return [heading(title), signUpForm(code), h("p", {}, t("join.haveAccount"), " ", signInButton(code))];
  }

  // A signed-in person needs one button.
  function member(code, purpose) {
    if (!purpose.audience) return [h("p", {}, t("join.already")), h("p", {}, h("a", { class: "button primary", href: "/" }, t("nav.home")))];
    return form({}, [], [h("p", {}, t("join.asUser", { name: session.user.name })), h("div", { class: "acts" }, submit(t("join.join")))], {
      checks: [],
      run: async () => {
        const { admin } = await apiJSON("/v1/invitations/use", { method: "POST", json: { code } });
        if (admin) session.renew();
        done();
      },
      say: reasonOf,
    });
  }

  function signInButton(code) {
    return h("button", { type: "button", class: "link-button", onclick: async () => {
      if (await askToSignIn({ isMember: true })) await show(code);
    } }, t("auth.signIn"));
  }

  function signUpForm(code) {
    const name = field(t("auth.name"), { name: "name", autocomplete: "name", maxlength: 199, required: true, dir: "auto", hint: t("auth.nameHint") });
    const email = emailField("email");
    const password = newPasswordField();
    return form({}, [name, email, password], [name.element, email.element, password.element, h("div", { class: "acts" }, submit(t("join.join")))], {
      checks: [checks.name, checks.email, checks.newPassword],
      run: async () => {
        await session.signUp(email.input.value.trim(), password.input.value, name.input.value.trim(), code);
        done();
      },
      place: ({ code }) => (["EMAIL_EXISTS", "INVALID_EMAIL", "INVITATION_OF_ANOTHER_ADDRESS"].includes(code) ? email : code === "WEAK_PASSWORD" ? password : null),
    });
  }

  function done() {
    announce(t("auth.welcome", { name: session.user.name }));
    navigate("/");
  }

  const onHash = () => { if (location.pathname === "/join" && location.hash) read(); };
  addEventListener("hashchange", onHash);
  return {
    title: t("join.title"),
    draw: read,
    end: () => {
      turn += 1;
      removeEventListener("hashchange", onHash);
    },
  };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const heading = (text) => h("h1", { tabindex: "-1", dir: "auto" }, text);
