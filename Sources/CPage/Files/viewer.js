// One photo, large, over its list: keys, buttons and swipes step through the whole list, with the comments beside it.

import { isSignedIn, like } from "./actions.js";
import { h, icon } from "./dom.js";
import { icons, stylesheet } from "./late.js";
import { detailsOf } from "./details.js";
import { neighbour } from "./feed-places.js";
import { altOf, photoElement } from "./photo.js";
import { changes, doings } from "./posts.js";
import { announce } from "./shell.js";
import { t } from "./texts.js";
import { Stage } from "./stage.js";

const styled = stylesheet("viewer.css");

class PhotoViewer extends HTMLElement {
  #post = null;
  #index = 0;
  #feed = null;
  #turn = 0;

  connectedCallback() {
    if (this.dialog) return;
    const button = (name, label, run) => h("button", { type: "button", class: name, "aria-label": label, title: label, onclick: run }, icon(icons[name]));
    this.stage = new Stage({ onStep: (step) => this.step(step), onClose: () => this.close() });
    this.count = h("p", { class: "count" });
    this.side = h("aside", { class: "side", "aria-label": t("viewer.details") });
    this.previous = button("previous", t("viewer.previous"), () => this.step(-1));
    this.nextButton = button("next", t("viewer.next"), () => this.step(1));
    this.dialog = h("dialog", { class: "viewer", "aria-label": t("viewer.label") },
      h("div", { class: "stage-box" }, this.stage.element, this.previous, this.nextButton,
        h("div", { class: "bar" }, this.count, button("full", t("viewer.full"), () => this.#full()), button("close", t("viewer.close"), () => this.close()))),
      this.side);
    this.append(this.dialog);
    this.dialog.addEventListener("keydown", (event) => this.#press(event));
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.close();
    });
    this.changed = ({ detail: { id, fields } }) => {
      if (this.#post?.id !== id) return;
      if (this.#feed?.post(id) !== this.#post) Object.assign(this.#post, fields(this.#post));
      this.details?.update(this.#post);
    };
    changes.addEventListener("change", this.changed);
    doings.addEventListener("deleted", ({ detail: { id } }) => { if (id === this.#post?.id) this.close(); });
  }

  get isOpen() { return this.dialog?.open ?? false; }

  get post() { return this.#post; }

  // Opens a post of a list; `onMove(post)` is called when another one is shown, `onClose(post)` when the user closes
  // the viewer.
  async open(post, index, feed, { onMove, onClose }) {
    await styled;
    Object.assign(this, { onMove, onClose });
    this.#feed = feed;
    if (!this.dialog.open) this.dialog.showModal();
    this.#show(post, Math.min(index, Math.max(0, post.photos.length - 1)));
    this.stage.element.focus({ preventScroll: true });
  }

  // Closes the viewer; its opener restores the list.
  close() {
    if (this.isOpen) this.onClose(this.#post);
  }

  hide() {
    if (document.fullscreenElement) document.exitFullscreen();
    this.details?.end();
    this.details = null;
    this.side.replaceChildren();
    this.stage.show(null);
    this.dialog.close();
    this.#post = null;
  }

  async step(step) {
    const turn = ++this.#turn;
    const index = this.#index + step;
    if (index >= 0 && index < this.#post.photos.length) return this.#show(this.#post, index);
    let next = null;
    try {
      next = this.#feed && await neighbour(this.#feed, this.#post.id, step);
    } catch (problem) {
      announce(problem.message);
    }
    if (turn !== this.#turn || !this.isOpen) return;
    if (!next) {
      this.stage.bounce(step);
      return announce(t(step > 0 ? "viewer.last" : "viewer.first"));
    }
    this.#show(next, step > 0 ? 0 : Math.max(0, next.photos.length - 1));
    this.onMove(next);
  }

  #show(post, index) {
    const isOther = post !== this.#post;
    [this.#post, this.#index] = [post, index];
    const photo = post.photos[index];
    this.stage.show(photo
      ? photoElement(photo, { alt: altOf(post, index), sizes: "100vw", isEager: true, isFirst: true })
      : h("p", { class: "words", dir: "auto" }, post.text), photo);
    this.count.textContent = post.photos.length > 1 ? t("viewer.count", { index: index + 1, count: post.photos.length }) : "";
    announce(photo ? altOf(post, index) : post.text);
    if (isOther) {
      this.details?.end();
      this.details = detailsOf(post);
      this.side.replaceChildren(this.details.element);
    }
    this.#prepare(1);
  }

  // Reads the next photo in advance.
  async #prepare(step) {
    const photo = this.#post.photos[this.#index + step] ?? (this.#feed && await neighbour(this.#feed, this.#post.id, step).catch(() => null))?.photos[0];
    if (photo && this.isOpen) h("img", { srcset: photo.renditions.map(({ url, width }) => `${url} ${width}w`).join(", "), sizes: "100vw" });
  }

  #press(event) {
    if (event.target.closest("input, textarea, select, [popover]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const isBackward = getComputedStyle(this).direction === "rtl";
    const doings = {
      ArrowRight: () => this.step(isBackward ? -1 : 1), ArrowLeft: () => this.step(isBackward ? 1 : -1),
      j: () => this.step(1), k: () => this.step(-1), Home: () => this.stage.reset(), "+": () => this.stage.zoomBy(1.5),
      "-": () => this.stage.zoomBy(1 / 1.5), 0: () => this.stage.reset(), f: () => this.#full(),
      l: () => { if (isSignedIn()) like(this.#post.id, !this.#post.liked); },
    };
    const run = doings[event.key];
    if (!run) return;
    event.preventDefault();
    run();
  }

  #full() {
    if (document.fullscreenElement) document.exitFullscreen(); else this.dialog.requestFullscreen?.().catch(() => {});
  }
}

customElements.define("photo-viewer", PhotoViewer);

let viewer = null;

export function theViewer() {
  if (!viewer) {
    viewer = new PhotoViewer();
    document.body.append(viewer);
  }
  return viewer;
}

