// The choice of who sees a post, for people who belong to audiences, such as classes.

import { h } from "./dom.js";
import { apiJSON } from "./http.js";
import { session } from "./session.js";
import { t } from "./texts.js";

const place = "tintype.audiences";
// The time after which the audiences of the last time are offered, in milliseconds.
const patience = 5000;

// The audiences that the user may post to, { id, name }; if the service cannot be reached, those of the last time.
async function audiencesOf(uid) {
  try {
    const all = [];
    let after = "";
    do {
      const page = await apiJSON(`/v1/audiences?limit=100${after && `&after=${encodeURIComponent(after)}`}`, { signal: AbortSignal.timeout(patience) });
      all.push(...page.audiences);
      after = page.next ?? "";
    } while (after);
    const mine = all.filter(({ role }) => role === "owner" || role === "poster").map(({ id, name }) => ({ id, name }));
    localStorage.setItem(place, JSON.stringify({ uid, mine }));
    return mine;
  } catch {
    try {
      const kept = JSON.parse(localStorage.getItem(place));
      return kept.uid === uid ? kept.mine : [];
    } catch {
      return [];
    }
  }
}

// The choice: { element, value, ready }. Its value is the id of an audience, or empty for none; `ready` resolves when it
// shows the audiences. `chosen` is the earlier choice; `onChange` is called after each later one.
export function audienceChoice(chosen, onChange) {
  const select = h("select", { id: "composer-audience", name: "audience", onchange: () => onChange() });
  const element = h("div", { class: "audience", hidden: true });

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
    if (!isClassroom) select.append(h("option", { value: "" }, t("closed" in document.body.dataset ? "upload.members" : "upload.everybody")));
    else if (all.length > 1) select.append(h("option", { value: "", disabled: true }, t("upload.choose")));
    select.required = isClassroom;
    select.append(...all.map(({ id, name }) => h("option", { value: id }, name)));
    select.value = all.some(({ id }) => id === chosen) ? chosen : select.options[0].value;
    element.append(h("label", { for: select.id }, t("upload.audience")), select);
    onChange();
  }
  return { element, ready: show(), get value() { return select.value; } };
}
