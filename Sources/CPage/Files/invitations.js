// The invitations that the signed-in user may manage, and the form that makes one: for admins, and owners of audiences.

import { submit } from "./account-fields.js";
import { audiencesToInviteTo } from "./invite-rights.js";
import { classAccounts } from "./class-accounts.js";
import { timeElement } from "./card.js";
import { confirmed } from "./dialogs.js";
import { h } from "./dom.js";
import { field, form } from "./fields.js";
import { api, apiJSON } from "./http.js";
import { joinRequests } from "./join-requests.js";
import { stylesheet } from "./late.js";
import { reasonOf } from "./reasons.js";
import { session } from "./session.js";
import { announce, toast } from "./shell.js";
import { t } from "./texts.js";

export async function invitationsView(route, { element }) {
  await stylesheet("social.css");
  await stylesheet("join.css");
  const { signInView } = await import("./account-dialog.js");
  if (!session.user) return { title: t("invite.title"), draw: () => { element.replaceChildren(signInView()); } };
  const { audiences, isAdmin } = await audiencesToInviteTo();
  const list = h("ol", { class: "invitation-list" });
  const words = h("p", { class: "faint", role: "status" });
  const more = h("button", { type: "button", class: "button more", hidden: true, onclick: () => read(next) }, t("invite.more"));
  let next = null;

  async function read(after = null) {
    try {
      const page = await apiJSON(`/v1/invitations?limit=30${after ? `&after=${encodeURIComponent(after)}` : ""}`);
      if (!after) list.replaceChildren();
      list.append(...page.invitations.map((one) => row(one, audiences)));
      next = page.next;
      more.hidden = !next;
      words.textContent = list.childElementCount > 0 ? "" : t("invite.none");
    } catch (problem) {
      words.textContent = reasonOf(problem);
    }
  }

  async function draw() {
    const parts = [h("h1", {}, t("invite.title"))];
    if (!isAdmin && audiences.length === 0) parts.push(h("p", {}, t("invite.notYou")));
    else parts.push(maker(audiences, isAdmin, () => read()), h("h2", {}, t("invite.made")), list, words, more);
    element.replaceChildren(h("section", { class: "invitations" }, parts));
    const section = element.firstElementChild;
    if (isAdmin || audiences.length > 0) await read();
    if (isAdmin) section.append(await joinRequests());
    for (const audience of audiences.slice(0, 20)) section.append(...await classAccounts(audience));
  }
  return { title: t("invite.title"), draw };
}

// The form that makes an invitation, and its result.
function maker(audiences, isAdmin, onMade) {
  const result = h("div", { class: "invitation-result" });
  const options = [...(isAdmin ? [["", t("invite.noAudience")]] : []), ...audiences.map(({ id, name }) => [id, name])];
  const audience = select(t("invite.audience"), "audience", options);
  const role = select(t("invite.role"), "role", ["reader", "poster", "owner"].map((name) => [name, t(`invite.${name}`)]));
  const kind = select(t("invite.kind"), "kind", ["link", "short", "child"].map((name) => [name, t(`invite.${name}`)]));
  const uses = field(t("invite.uses"), { type: "number", name: "uses", min: 1, max: 5000, inputmode: "numeric", hint: t("invite.usesHint") });
  const days = field(t("invite.days"), { type: "number", name: "days", min: 1, max: 365, inputmode: "numeric", hint: t("invite.daysHint") });
  const note = field(t("invite.note"), { name: "note", maxlength: 200, dir: "auto" });
  const fit = () => {
    role.element.hidden = !audience.input.value;
    const child = kind.input.querySelector("[value=child]");
    child.disabled = !audience.input.value;
    if (child.disabled && kind.input.value === "child") kind.input.value = "link";
  };
  audience.input.addEventListener("change", fit);
  fit();
  const inRange = (max) => (text) => (text === "" || (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= max) ? "" : t("invite.range", { max }));
  const element = form({}, [audience, role, kind, uses, days, note], [
    h("h2", {}, t("invite.new")), audience.element, role.element, kind.element, uses.element, days.element, note.element,
    h("div", { class: "acts" }, submit(t("invite.make"))),
  ], {
    checks: [() => "", () => "", () => "", inRange(5000), inRange(365), () => ""],
    run: async () => {
      const json = { note: note.input.value.trim(), short: kind.input.value !== "link", no_address: kind.input.value === "child" };
      if (audience.input.value) Object.assign(json, { audience: audience.input.value, role: role.input.value });
      if (uses.input.value) json.uses = Number(uses.input.value);
      if (days.input.value) json.days = Number(days.input.value);
      const made = await apiJSON("/v1/invitations", { method: "POST", json });
      result.replaceChildren(...shown(made, json.short));
      result.querySelector("h3").focus();
      note.input.value = "";
      await onMade();
    },
    say: reasonOf,
  });
  return h("div", {}, element, result);
}

function select(label, name, options) {
  const box = field(label, { tag: "select", name });
  box.input.append(...options.map(([value, text]) => h("option", { value }, text)));
  return box;
}

// The link or the code of a new invitation, with the ways to pass it on.
export function shown({ code, email }, isShort = false) {
  const link = `${location.origin}/join#${code}`;
  const box = field(t(isShort ? "invite.pageLink" : "invite.theLink"), { name: "link", readonly: true, value: link, onfocus: (event) => event.target.select() });
  const copy = h("button", { type: "button", class: "button", onclick: async () => {
    try {
      await navigator.clipboard.writeText(link);
      announce(t("invite.copied"));
      copy.textContent = t("invite.copied");
    } catch {
      box.input.focus();  // The link is selected, so that it can be copied by hand.
    }
  } }, t("invite.copy"));
  const share = navigator.share && h("button", { type: "button", class: "button", onclick: () => navigator.share({ url: link }).catch(() => {}) }, t("invite.share"));
  return [
    h("h3", { tabindex: "-1" }, t("invite.ready")), isShort && h("p", { class: "big-code" }, code),
    !isShort && h("p", {}, email ? t("invite.onceFor", { email }) : t("invite.once")), box.element, h("div", { class: "acts" }, copy, share),
  ].filter(Boolean);
}

// An invitation in the list, with a button that withdraws it.
function row(one, audiences) {
  const target = audiences.find(({ id }) => id === one.audience)?.name ?? one.audience;
  const state = h("p", { class: "faint" }, t(`invite.state_${one.state}`), " · ", t("invite.used", { uses: one.uses, max: one.max_uses }), " · ", t("invite.until"), " ", timeElement(one.expires));
  const title = [one.code ?? t("invite.link"), target && `${target}, ${t(`invite.${one.role}`)}`, one.email, one.note].filter(Boolean).join(" · ");
  const element = h("li", { class: one.state }, h("p", { dir: "auto" }, title), state);
  if (one.state !== "valid") return element;
  const button = h("button", { type: "button", class: "button", onclick: async () => {
    if (!await confirmed(t("invite.withdraw"), t("invite.withdrawWords"), t("invite.withdraw"))) return;
    try {
      await api(`/v1/invitations/${encodeURIComponent(one.id)}`, { method: "DELETE" });
      element.replaceWith(row({ ...one, state: "withdrawn" }, audiences));
      announce(t("invite.state_withdrawn"));
    } catch (problem) {
      toast(reasonOf(problem), { isProblem: true });
    }
  } }, t("invite.withdraw"));
  button.ariaLabel = `${t("invite.withdraw")}: ${title}`;
  element.append(button);
  return element;
}
