// Signing in and up, and the account menu.

import { checks, emailField, newPasswordField, submit } from "./account-fields.js";
import { openDialog, confirmed } from "./dialogs.js";
import { h } from "./dom.js";
import { field, form } from "./fields.js";
import { mayInvite } from "./invite-rights.js";
import { codeForm, requestForm } from "./join-request.js";
import { stylesheet } from "./late.js";
import { toggleMenu } from "./menu.js";
import { outbox } from "./outbox.js";
import { navigate } from "./router.js";
import { session } from "./session.js";
import { announce } from "./shell.js";
import { siteLinks } from "./site.js";
import { t } from "./texts.js";

// Who may create an account: "email" for everybody with an address, "invitation" for people with an invitation, or
// undefined for nobody.
const { signUp } = document.body.dataset;
if (signUp === "invitation") await stylesheet("join.css");

let dialog = null;

const signInOnly = [["signIn", signInForm]];
const forms = signUp === "email" ? [...signInOnly, ["signUp", signUpForm]] : signInOnly;

// Returns the forms that replace a view for people who have signed in. `words` are the elements above them.
export function signInView(words = [h("h1", {}, t("page.signInTitle")), h("p", {}, t("page.signIn"))]) {
  const { tabs, panels } = tabbed("view", forms);
  return h("section", { class: "empty" }, words, tabs, panels, strangers(), links());
}

// Asks the user to sign in, or in another way that strangers have; a user who is a member can only sign in. Resolves
// with true after a sign-in, and with false when the dialog is closed.
export function askToSignIn({ isMember = false } = {}) {
  if (dialog?.open) return Promise.resolve(false);
  const { tabs, panels } = tabbed("dialog", isMember ? signInOnly : forms);
  dialog = openDialog(t("auth.title"), [tabs, panels, !isMember && strangers(), links()], { name: "account" });
  panels.querySelector("input").focus();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(session.user !== null)));
}

function done() {
  dialog?.close();
  announce(t("auth.welcome", { name: session.user.name }));
}

// The e-mail address typed in one form; the other forms share it.
let address = "";

function keepAddress({ input }) {
  input.value = address;
  input.addEventListener("input", () => { address = input.value; });
}

function signInForm(panel) {
  const email = emailField("username");
  keepAddress(email);
  const password = field(t("auth.password"), { type: "password", name: "password", autocomplete: "current-password", required: true });
  const forgot = h("button", { type: "button", class: "link-button", onclick: () => showForgot(panel) }, t("auth.forgot"));
  return form({}, [email, password], [email.element, password.element, h("div", { class: "acts" }, submit(t("auth.signIn")), forgot)], {
    checks: [checks.email, checks.password],
    run: async () => {
      await session.signIn(email.input.value.trim(), password.input.value);
      done();
    },
    place: ({ code }) => (code === "INVALID_EMAIL" ? email : isWrong(code) ? password : null),
  });
}

const isWrong = (code) => ["EMAIL_NOT_FOUND", "INVALID_PASSWORD", "INVALID_LOGIN_CREDENTIALS"].includes(code);

function signUpForm() {
  const name = field(t("auth.name"), { name: "name", autocomplete: "name", maxlength: 199, required: true, dir: "auto", hint: t("auth.nameHint") });
  const email = emailField("email");
  keepAddress(email);
  const password = newPasswordField();
  return form({}, [name, email, password], [
    name.element, email.element, password.element, h("div", { class: "acts" }, submit(t("auth.signUp"))),
    h("p", {}, h("a", { href: "/join", onclick: () => dialog?.close() }, t("join.have"))),
  ], {
    checks: [checks.name, checks.email, checks.newPassword],
    run: async () => {
      await session.signUp(email.input.value.trim(), password.input.value, name.input.value.trim());
      done();
    },
    place: ({ code }) => (["EMAIL_EXISTS", "INVALID_EMAIL"].includes(code) ? email : code === "WEAK_PASSWORD" ? password : null),
  });
}

// Returns the ways in for people without an account where they need an invitation; null where they do not, or where
// nobody may create an account.
function strangers() {
  if (signUp !== "invitation") return null;
  const code = codeForm((code) => {
    dialog?.close();
    navigate(`/join#${encodeURIComponent(code)}`);
  });
  return h("div", { class: "strangers" },
    h("section", { "aria-label": t("join.haveCode") }, h("h2", {}, t("join.haveCode")), code),
    "requests" in document.body.dataset && requestForm());
}

// Shows that the service cannot send messages, in place of the form for signing in.
function showNoMessages(panel, back) {
  const words = h("p", { role: "status", tabindex: "-1" }, t("auth.noMessages"));
  panel.replaceChildren(words, h("div", { class: "acts" }, back));
  words.focus();
}

// Shows the form that requests a message, in place of the one for signing in.
function showForgot(panel) {
  const back = h("button", { type: "button", class: "link-button", onclick() {
    panel.replaceChildren(signInForm(panel));
    panel.querySelector("input").focus();
  } }, t("auth.back"));
  if (!("codes" in document.body.dataset)) return showNoMessages(panel, back);
  const email = emailField("username");
  keepAddress(email);
  const element = form({}, [email], [h("p", {}, t("auth.forgotWords")), email.element, h("div", { class: "acts" }, submit(t("auth.send")), back)], {
    checks: [checks.email],
    run: async () => {
      try {
        await session.resetPassword(email.input.value.trim());
      } catch (problem) {
        // The response does not reveal whether an account exists.
        if (problem.code !== "EMAIL_NOT_FOUND" && problem.code !== "USER_DISABLED") throw problem;
      }
      const words = h("p", { role: "status", tabindex: "-1" }, t("auth.sent", { email: email.input.value.trim() }));
      panel.replaceChildren(words, h("div", { class: "acts" }, back));
      words.focus();
    },
    place: ({ code }) => (code === "INVALID_EMAIL" ? email : null),
    say: ({ code, message }) => (code === "OPERATION_NOT_ALLOWED" ? t("auth.noMessages") : message),
  });
  panel.replaceChildren(element);
  email.input.focus();
}

// Returns forms of which one is shown at a time; a single one needs no tabs. Their ids contain `place`, because a dialog
// may be open over a view with the same forms.
function tabbed(place, parts) {
  if (parts.length === 1) {
    const panel = h("div", {});
    panel.append(parts[0][1](panel));
    return { tabs: null, panels: panel };
  }
  const panels = parts.map(([name, make]) => {
    const panel = h("div", { role: "tabpanel", id: `${place}-panel-${name}`, "aria-labelledby": `${place}-tab-${name}` });
    panel.append(make(panel));
    return panel;
  });
  const buttons = parts.map(([name], index) => h("button", {
    type: "button", class: "tab", role: "tab", id: `${place}-tab-${name}`, "aria-controls": `${place}-panel-${name}`, onclick: () => choose(index),
  }, t(`auth.${name}`)));
  function choose(chosen) {
    buttons.forEach((button, index) => {
      button.ariaSelected = String(index === chosen);
      button.tabIndex = index === chosen ? 0 : -1;
      panels[index].hidden = index !== chosen;
    });
    for (const input of panels[chosen].querySelectorAll("input[name=email]")) input.value = address;
  }
  choose(0);
  const tabs = h("div", { role: "tablist", class: "tabs", "aria-label": t("auth.title"), onkeydown(event) {
    if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    event.preventDefault();
    const next = (buttons.indexOf(document.activeElement) + 1) % buttons.length;
    buttons[next].focus();
    choose(next);
  } }, buttons);
  return { tabs, panels: h("div", {}, panels) };
}

// The links to pages about the service. They open elsewhere, so that what was typed stays; null if there are none.
function links() {
  const all = siteLinks().map(({ href, label }) => h("a", { href, target: "_blank", rel: "noopener" }, label));
  return all.length > 0 ? h("p", { class: "site-links" }, all) : null;
}

// Opens the account menu below a button. Whether the user may invite people is known after a request; the menu does not
// wait long for it.
export async function accountMenu(button) {
  const isInviting = await Promise.race([
    mayInvite().catch(() => false), new Promise((resolve) => { setTimeout(() => resolve(false), 500); }),
  ]);
  toggleMenu(button, () => [
    { label: t("people.profile"), href: `/people/${encodeURIComponent(session.user.uid)}` },
    { label: t("people.edit"), run: async () => (await import("./profile-dialog.js")).editProfile() },
    ...(isInviting ? [{ label: t("invite.title"), href: "/invitations" }] : []),
    ...siteLinks(),
    { label: t("auth.signOut"), run: signOut },
  ]);
}

async function signOut() {
  const waiting = outbox.pending.filter(({ uid }) => uid === session.user?.uid).length;
  if (waiting > 0 && !await confirmed(t("auth.signOut"), t("auth.waiting", { count: waiting }), t("auth.signOut"))) return;
  session.signOut();
  announce(t("auth.signedOut"));
}
