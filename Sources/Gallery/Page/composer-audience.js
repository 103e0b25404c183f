// The choice of who sees a post, for people who belong to audiences, such as classes.

import { h } from "./dom.js";
import { apiJSON } from "./http.js";
import { session } from "./session.js";
import { t } from "./texts.js";

const place = "tintype.audiences";
// The time after which the audiences of the last time are offered, in milliseconds.
const patience = 5000;

// The audiences that the user may post to, { id, name }.
async function audiences() {
  const signal = AbortSignal.timeout(patience);
  const all = [];
  let after = "";
  do {
    const page = await apiJSON(`/v1/audiences?limit=100${after && `&after=${encodeURIComponent(after)}`}`, { signal });
    all.push(...page.audiences);
    after = page.next ?? "";
  } while (after);
  return all.filter(({ role }) => role === "owner" || role === "poster").map(({ id, name }) => ({ id, name }));
}

// The same; if the service cannot be reached, those of the last time.
async function audiencesOf(uid) {
  let mine;
  try {
    mine = await audiences();
  } catch {
    try {
      const kept = JSON.parse(localStorage.getItem(place));
      return kept.uid === uid ? kept.mine : [];
    } catch {
      return [];
    }
  }
  // A browser that stores nothing has them this time.
  try { localStorage.setItem(place, JSON.stringify({ uid, mine })); } catch { /* The next composer gets them from the service. */ }
  return mine;
}

// The choice: { element, value, ready }. Its value is the id of an audience, or empty for none; `ready` resolves when it
// shows the audiences. `chosen` is the earlier choice; `onChange` is called after each other one.
export function audienceChoice(chosen, onChange) {
  let value = chosen ?? "";
  const select = h("select", { id: "composer-audience", name: "audience", onchange: () => take() });
  const element = h("div", { class: "audience", hidden: true });

  function take() {
    value = select.value;
    onChange();
  }

  async function show() {
    const all = await audiencesOf(session.user?.uid);
    // In a classroom, only its author sees a post without an audience.
    const isClassroom = "stories" in document.body.dataset;
    if (all.length === 0 && !isClassroom) return;
    element.hidden = false;
    if (all.length === 0) {
      element.append(h("p", { class: "faint" }, t("upload.onlyYou")));
      return;
    }
    const known = all.findIndex(({ id }) => id === value);
    // A post for a class to which its author may no longer post must not become one for others by itself.
    const needsChoice = known < 0 && (value !== "" || isClassroom && all.length > 1);
    if (needsChoice) select.append(h("option", { value: "", disabled: true }, t("upload.choose")));
    if (!isClassroom) select.append(h("option", { value: "" }, t("closed" in document.body.dataset ? "upload.members" : "upload.everybody")));
    const others = select.options.length;
    select.append(...all.map(({ id, name }) => h("option", { value: id }, name)));
    select.required = needsChoice;
    select.selectedIndex = known < 0 ? 0 : others + known;
    element.append(h("label", { for: select.id }, t("upload.audience")), select);
    if (!needsChoice) take();
  }
  return { element, ready: show(), get value() { return value; } };
}
