// The page of the first setup: the questions of "tintype init", while nobody is there yet.

import { checks, emailField, lineOf, newPasswordField, submit } from "./account-fields.js";
import { showAgain } from "./app.js";
import { h } from "./dom.js";
import { field, form } from "./fields.js";
import { apiJSON } from "./http.js";
import { stylesheet } from "./late.js";
import { reasonOf } from "./reasons.js";
import { session } from "./session.js";
import { toast } from "./shell.js";
import { siteName } from "./site.js";
import { t } from "./texts.js";

// The largest number of characters in the name of a service. The field accepts more: it would cut off what is pasted.
const mostName = 60;
// The heading and the elements that are shown once the service is set up.
let outcome = null;
// Whether the service has sent the page of the setup: afterwards it sends another one at the same address.
const isOffered = document.body.dataset.view === "setup";

export async function setupView(route, { element }) {
  await stylesheet("social.css");
  await stylesheet("join.css");
  // The code does not stay in the address: it would be in the history, and in pictures of the screen.
  const code = decodeURIComponent(location.hash.slice(1).replace(/%(?![0-9a-f]{2})/gi, ""));
  if (location.hash) history.replaceState(history.state, "", "/setup");

  function draw(title, ...parts) {
    element.replaceChildren(h("section", { class: "join" }, h("h1", { tabindex: "-1", dir: "auto" }, title), parts.flat()));
    element.querySelector("h1").focus({ preventScroll: true });
  }

  function questions() {
    const name = field(t("setup.name"), { name: "name", required: true, dir: "auto", value: siteName, hint: t("setup.nameHint") });
    const preset = choice("preset", t("setup.visible"), ["members", "public", "classroom"]);
    const signUp = choice("signUp", t("setup.signUp"), ["invitation", "email", "none"]);
    const email = emailField("email");
    const password = newPasswordField();
    return form({}, [name, email, password], [
      name.element, preset.element, signUp.element, h("h2", {}, t("setup.you")), email.element, password.element,
      h("div", { class: "acts" }, submit(t("setup.begin"))),
    ], {
      checks: [(text) => lineOf(text, mostName), checks.email, checks.newPassword],
      run: async () => {
        const answer = await apiJSON("/v1/setup", { method: "POST", anonymous: true, json: {
          code: code || undefined, name: name.input.value.trim(), preset: preset.value(), sign_up: signUp.value(),
          email: email.input.value.trim(), password: password.input.value,
        } });
        outcome = outcomeOf(answer, name.input.value.trim());
        // The outcome is shown last: its link loads the page again, which would cancel the sign-in.
        await session.signIn(answer.email, password.input.value).catch(({ message }) => toast(message, { isProblem: true }));
        showAgain();
      },
      say: (problem) => (problem.code === "not_found" ? t("setup.over") : reasonOf(problem)),
    });
  }

  // Returns the heading and the elements that say what is in force, and what needs the operator's hand.
  function outcomeOf({ settings = [], lines, file }, name) {
    const overridden = settings.filter(({ effect }) => effect === "overridden").map(({ name }) => name);
    return [
      t("setup.done", { name }),
      lines && [h("p", {}, t("setup.write", { file })), h("pre", { tabindex: "0" }, lines)],
      overridden.length > 0 && h("p", {}, t("setup.overridden", { settings: overridden.join(", ") })),
      // The whole page is loaded again, which has the new name then.
      h("p", {}, h("a", { class: "button primary", href: "/", target: "_self" }, t("setup.next"))),
    ];
  }

  return {
    title: t("setup.title"),
    draw: () => {
      if (outcome) return draw(...outcome);
      if (!isOffered) return draw(t("page.goneTitle"), h("p", {}, t("page.gone")));
      const isPermitted = code || "local" in document.body.dataset;
      return draw(t("setup.title"), isPermitted ? [h("p", {}, t("setup.words")), questions()] : h("p", {}, t("setup.needCode")));
    },
  };
}

// A question with a few answers, the first of which is the safe one: { element, value() }.
function choice(name, legend, values) {
  const element = h("fieldset", { class: "setup-choice" }, h("legend", {}, legend), values.map((value, index) => h("label", {},
    h("input", { type: "radio", name, value, checked: index === 0 }), h("span", {}, h("strong", {}, t(`setup.${value}`)), " ", t(`setup.${value}Hint`)))));
  return { element, value: () => element.querySelector(":checked").value };
}
