// The text of a list without posts.

import { h } from "./dom.js";
import "./late.js";
import { t } from "./texts.js";

export function person(box) {
  box.append(h("p", {}, t("feed.emptyPerson")));
}

export function tag(box) {
  box.append(h("p", {}, t("feed.emptyTag")));
}

export function home(box) {
  box.append(h("h2", {}, t("feed.emptyHomeTitle")), h("p", {}, t("feed.emptyHome")), h("p", {}, h("a", { class: "button", href: "/all" }, t("nav.all"))));
}

// Commands are only useful on the service's machine.
export function service(box) {
  box.id = "empty";
  box.append(h("h2", {}, t("empty.title")));
  if (!("local" in document.body.dataset)) return;
  box.append(h("p", {}, t("empty.inbox")), example("mkdir -p Storage/inbox/maria\ncp photo.jpg Storage/inbox/maria/"),
    h("p", {}, t("empty.socket")), example(
      "curl --unix-socket Storage/tintype.sock \\\n  -F user=maria -F text='First light' -F photo=@photo.jpg \\\n  http://localhost/v1/uploads"));
}

// It can be scrolled by keys if it is wider than the screen.
const example = (text) => h("pre", { tabindex: "0" }, text);
