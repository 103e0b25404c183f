// A photo in the composer: its picture, its progress, its alternative text, and buttons that move or remove it.

import { h, icon } from "./dom.js";
import { icons } from "./late.js";
import { preview } from "./preview.js";
import { t } from "./texts.js";
import { reasonOf } from "./upload-check.js";
import { chooseAnother, retry } from "./upload-mending.js";
import { isUnfit, mayPass } from "./upload-problems.js";
import { uploads } from "./upload.js";

const arrows = { earlier: icons.previous, later: icons.next };

// The element of a photo; `list` has move(id, by), remove(id) and accepts drops.
export function photoElement(id, list) {
  const { name } = uploads.file(id);
  const canvas = h("canvas", { role: "img", "aria-label": t("upload.previewOf", { name }), draggable: "true" });
  const state = h("p", { class: "state" });
  const bar = h("progress", { max: "1", "aria-label": t("upload.progressOf", { name }) });
  const alt = h("textarea", { rows: "2", maxlength: "1000", dir: "auto", oninput: () => uploads.setAlt(id, alt.value) });
  alt.value = uploads.file(id).alt;
  const move = (way, by) => h("button", {
    type: "button", class: `quiet ${way}`, "aria-label": t(`upload.${way}`, { name }), title: t(`upload.${way}Title`), onclick: () => list.move(id, by),
  }, icon(arrows[way]));
  const remove = h("button", { type: "button", class: "quiet remove", "aria-label": t("upload.removeOf", { name }), title: t("upload.remove"), onclick: () => list.remove(id) }, icon(icons.close));
  const mend = (label, run) => h("button", { type: "button", class: "button mend", "aria-label": t(`upload.${label}Of`, { name }), onclick: () => run(id) }, t(`upload.${label}`));
  const again = mend("retry", retry), another = mend("another", chooseAnother);
  const element = h("li", { dataset: { id } },
    h("div", { class: "picture" }, canvas, h("span", { class: "name", dir: "auto" }, name), h("div", { class: "buttons" }, move("earlier", -1), move("later", 1), remove)),
    bar, state, again, another,
    h("label", {}, h("span", {}, t("upload.alt")), alt));
  element.canvas = canvas;
  let drawn = null;

  async function draw() {
    if (drawn === "drawing" || drawn === "drawn" || drawn === "none") return;
    const { state: before } = uploads.file(id) ?? {};
    if (drawn === "later" && before === "waiting") return;
    drawn = "drawing";
    drawn = await preview(canvas, id);
    element.classList.toggle("undrawn", drawn !== "drawn");
    if (uploads.file(id)?.state !== before) element.show();
  }

  // Shows the present state.
  element.show = () => {
    const item = uploads.item(id);
    if (!item) return;
    const isMoving = item.state === "sending" || item.state === "waiting";
    bar.hidden = item.state === "failed" || item.state === "done";
    if (item.state === "checking") bar.removeAttribute("value"); else bar.value = item.size > 0 ? item.sent / item.size : 0;
    again.hidden = item.state !== "failed" || !mayPass(item.problem);
    another.hidden = item.state !== "failed" || !isUnfit(item.problem);
    element.classList.toggle("failed", item.state === "failed");
    const { reason, hint } = item.problem ? reasonOf(item.problem) : {};
    const words = reason ? [reason, hint].filter(Boolean).join(". ")
      : isMoving && drawn === "later" ? t("upload.previewLater") : t(`upload.state.${item.state}`);
    if (state.textContent !== words) state.textContent = words;
    draw();
  };
  element.show();
  return element;
}

// Lets the user reorder the photos of a list by dragging their pictures; `onOrder` receives the ids.
export function dragOrder(list, onOrder) {
  let dragged = null;
  list.addEventListener("dragstart", (event) => {
    dragged = event.target.closest?.("li");
    if (!dragged) return;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", "");
    dragged.classList.add("dragged");
  });
  list.addEventListener("dragover", (event) => {
    const other = event.target.closest?.("li");
    if (!dragged) return;
    event.preventDefault();
    if (!other || other === dragged) return;
    const isBehind = dragged.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (isBehind) other.after(dragged); else other.before(dragged);
  });
  list.addEventListener("dragend", () => {
    dragged?.classList.remove("dragged");
    if (dragged) onOrder([...list.children].map((item) => item.dataset.id));
    dragged = null;
  });
}
