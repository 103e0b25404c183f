// The choice of who sees a post, for people who belong to audiences, such as classes.

import { h } from "./dom.js";
import { apiJSON } from "./http.js";
import { session } from "./session.js";
import { t } from "./texts.js";

const place = "tintype.audiences";
// The time after which the audiences of the last time are offered, in milliseconds.
const patience = 5000;
// The time after which the user sees what the post waits for, in milliseconds.
const calm = 1000;

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

// Those of the last time; null if this browser has none of the user.
function keptAudiences(uid) {
  try {
    const kept = JSON.parse(localStorage.getItem(place));
    return kept.uid === uid ? kept.mine : null;
  } catch {
    return null;
  }
}

async function audiencesOf(uid) {
  let mine;
  try {
    mine = await audiences();
  } catch {
    return keptAudiences(uid);
  }
  // A browser that stores nothing has them this time.
  try { localStorage.setItem(place, JSON.stringify({ uid, mine })); } catch { /* The next composer gets them from the service. */ }
  return mine;
}

// In a classroom, only its author sees a post without an audience.
const isClassroom = () => "stories" in document.body.dataset;

// Whether the user has to choose. A post for a class to which its author may no longer post must not become one for others by
// itself, nor one for everybody while nobody knows which audiences there are.
const needsChoice = (all, value) => all === null || !all.some(({ id }) => id === value) && (value !== "" || isClassroom() && all.length > 1);

// The choice: { element, value, isOpen, end() }. Its value is the id of an audience, or empty for none; nothing may be
// published while it is open, which photos need not wait for. `chosen` is the earlier choice. `onChange` is called after each
// other one, `onState` when `isOpen` may have changed.
export function audienceChoice(chosen, { onChange, onState }) {
  let value = chosen ?? "", isAsking = false, all = keptAudiences(session.user?.uid), timer;
  const end = new AbortController();
  const select = h("select", { id: "composer-audience", name: "audience", onchange: () => take(select.value) });
  const element = h("div", { class: "audience", hidden: true });
  // The audience of the last time is probably that of this time: photos that go there need not be sent again.
  if (all && !needsChoice(all, value)) value = first(value);

  function first(value) {
    return all.some(({ id }) => id === value) || !isClassroom() ? value : all[0]?.id ?? "";
  }

  function take(other) {
    if (other === value) return;
    value = other;
    onChange();
  }

  async function ask() {
    if (isAsking) return;
    isAsking = true;
    timer = setTimeout(() => draw(h("p", { class: "faint", role: "status" }, t("upload.audienceAsked"))), calm);
    onState();
    all = await audiencesOf(session.user?.uid);
    clearTimeout(timer);
    isAsking = false;
    if (end.signal.aborted) return;
    show();
    onState();
  }

  function draw(...parts) {
    element.hidden = parts.length === 0;
    element.replaceChildren(...parts);
  }

  function show() {
    if (all === null) {
      const again = h("button", { type: "button", class: "button", onclick: ask }, t("upload.audienceAgain"));
      return draw(h("p", { role: "status" }, t("upload.audienceUnknown")), again, ...(isClassroom() ? [] : choice([])));
    }
    if (!needsChoice(all, value)) take(first(value));
    if (all.length > 0 || value !== "" && !isClassroom()) return draw(...choice(all));
    // Without a class, the post is for nobody else.
    take("");
    return isClassroom() ? draw(h("p", { class: "faint" }, t("upload.onlyYou"))) : draw();
  }

  function choice(known) {
    const mustChoose = needsChoice(all, value);
    const options = known.map(({ id, name }) => h("option", { value: id }, name));
    if (!isClassroom()) options.unshift(h("option", { value: "" }, t("closed" in document.body.dataset ? "upload.members" : "upload.everybody")));
    if (mustChoose) options.unshift(h("option", { value: "", disabled: true }, t("upload.choose")));
    select.replaceChildren(...options);
    select.required = mustChoose;
    select.selectedIndex = mustChoose ? 0 : options.findIndex((option) => option.value === value);
    return [h("label", { for: select.id }, t("upload.audience")), select];
  }

  addEventListener("online", () => { if (all === null) ask(); }, { signal: end.signal });
  return {
    element, ask, get value() { return value; }, get isOpen() { return isAsking || all === null && isClassroom(); },
    end: () => { end.abort(); clearTimeout(timer); },
  };
}
