// The requests to join, for admins.

import { timeElement } from "./card.js";
import { h } from "./dom.js";
import { api, apiJSON } from "./http.js";
import { reasonOf } from "./reasons.js";
import { announce } from "./shell.js";
import { t } from "./texts.js";

export async function joinRequests() {
  const list = h("ul", { class: "invitation-list" });
  const words = h("p", { class: "faint", role: "status" });
  try {
    const { requests } = await apiJSON("/v1/join-requests");
    list.append(...requests.map((request) => row(request, words)));
    words.textContent = requests.length > 0 ? "" : t("invite.noRequests");
  } catch (problem) {
    words.textContent = reasonOf(problem);
  }
  return h("section", {}, h("h2", {}, t("invite.requests")), list, words);
}

function row({ id, name, email, text, created }, words) {
  const path = `/v1/join-requests/${encodeURIComponent(id)}`;
  const run = async (action) => {
    words.textContent = "";
    for (const button of acts.children) button.disabled = true;
    try {
      await action();
    } catch (problem) {
      words.textContent = reasonOf(problem);
      for (const button of acts.children) button.disabled = false;
    }
  };
  const approve = h("button", { type: "button", class: "button primary", onclick: () => run(async () => {
    const { invitation, sent } = await apiJSON(`${path}/approve`, { method: "POST", json: {} });
    if (sent) acts.replaceWith(h("p", { role: "status" }, t("invite.sentTo", { email })));
    else acts.replaceWith(...(await import("./invitations.js")).shown(invitation));
  }) }, t("invite.approve"));
  const decline = h("button", { type: "button", class: "button", onclick: () => run(async () => {
    await api(path, { method: "DELETE" });
    element.remove();
    announce(t("invite.declined"));
  }) }, t("invite.decline"));
  for (const button of [approve, decline]) button.ariaLabel = `${button.textContent}: ${name}`;
  const acts = h("div", { class: "acts" }, approve, decline);
  const element = h("li", {}, h("p", { dir: "auto" }, `${name} · ${email}`), text && h("p", { dir: "auto" }, text), h("p", { class: "faint" }, timeElement(created)), acts);
  return element;
}
