// The stage of the viewer, on which a photo is swiped, dragged, pinched and enlarged.

import { h } from "./dom.js";
import { isStill } from "./late.js";

const largest = 6;
// The distance that a finger has to move before it counts as a swipe, in pixels.
const swipeLength = 60;

export class Stage {
  #pointers = new Map();
  #scale = 1;
  #x = 0;
  #y = 0;
  #start = null;

  // `onStep(1)` is called for a swipe to the next photo, `onClose` for one downwards.
  constructor({ onStep, onClose }) {
    Object.assign(this, { onStep, onClose });
    this.element = h("div", { class: "stage", tabindex: "-1" });
    const on = (name, run, options) => this.element.addEventListener(name, run, options);
    on("pointerdown", (event) => this.#down(event));
    on("pointermove", (event) => this.#move(event));
    on("pointerup", (event) => this.#up(event));
    on("pointercancel", (event) => this.#up(event, true));
    on("dblclick", (event) => this.#toggle(event));
    on("wheel", (event) => this.#wheel(event), { passive: false });
    on("dragstart", (event) => event.preventDefault());
  }

  show(content, photo = null) {
    this.content = content;
    this.element.replaceChildren(...(content ? [content] : []));
    if (photo) content.style.setProperty("--ratio", (photo.width / photo.height) || 1.5);
    this.reset();
  }

  reset() {
    [this.#scale, this.#x, this.#y] = [1, 0, 0];
    this.#draw(true);
  }

  zoomBy(factor, at = { x: 0, y: 0 }) {
    const scale = Math.min(largest, Math.max(1, this.#scale * factor));
    const ratio = scale / this.#scale;
    this.#x = at.x - (at.x - this.#x) * ratio;
    this.#y = at.y - (at.y - this.#y) * ratio;
    this.#scale = scale;
    this.#draw(true);
  }

  // Shows that there are no more photos.
  bounce(step) {
    if (!this.content || isStill()) return;
    this.content.animate([{ translate: "0" }, { translate: `${-30 * step}px` }, { translate: "0" }], { duration: 250, easing: "ease-out" });
  }

  // A point of the window, relative to the middle of the stage.
  #from({ clientX, clientY }) {
    const box = this.element.getBoundingClientRect();
    return { x: clientX - box.left - box.width / 2, y: clientY - box.top - box.height / 2 };
  }

  #toggle(event) {
    if (this.#scale > 1) this.reset(); else this.zoomBy(2.5, this.#from(event));
  }

  #wheel(event) {
    event.preventDefault();
    if (event.ctrlKey || this.#scale > 1) return this.zoomBy(Math.exp(-event.deltaY / 300), this.#from(event));
  }

  #down(event) {
    if (event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, this.#from(event));
    this.#begin();
  }

  #begin() {
    const points = [...this.#pointers.values()];
    const middle = middleOf(points);
    this.#start = { middle, distance: distanceOf(points), x: this.#x, y: this.#y, scale: this.#scale, count: points.length };
  }

  #move(event) {
    if (!this.#pointers.has(event.pointerId) || !this.#start) return;
    this.#pointers.set(event.pointerId, this.#from(event));
    const points = [...this.#pointers.values()];
    const middle = middleOf(points);
    const start = this.#start;
    if (points.length > 1) {
      const scale = Math.min(largest, Math.max(1, start.scale * distanceOf(points) / (start.distance || 1)));
      const ratio = scale / start.scale;
      this.#x = middle.x - (start.middle.x - start.x) * ratio;
      this.#y = middle.y - (start.middle.y - start.y) * ratio;
      this.#scale = scale;
    } else {
      this.#x = start.x + middle.x - start.middle.x;
      this.#y = start.y + middle.y - start.middle.y;
    }
    this.#draw();
  }

  #up(event, isCancelled = false) {
    if (!this.#pointers.delete(event.pointerId)) return;
    const start = this.#start;
    if (this.#pointers.size > 0) return this.#begin();
    this.#start = null;
    const [x, y] = [this.#x - start.x, this.#y - start.y];
    if (this.#scale > 1 || start.count > 1) return this.#draw(true);
    [this.#x, this.#y] = [0, 0];
    if (isCancelled || (Math.abs(x) < swipeLength && Math.abs(y) < swipeLength)) return this.#draw(true);
    if (Math.abs(x) > Math.abs(y)) {
      const isBackward = getComputedStyle(this.element).direction === "rtl";
      this.#draw(true);
      this.onStep((x < 0) === isBackward ? -1 : 1);
    } else if (y > 0) {
      this.onClose();
    }
    this.#draw(true);
  }

  #draw(isSmooth = false) {
    if (!this.content) return;
    this.#keepInside();
    this.content.style.transition = isSmooth && !isStill() ? "transform .2s ease-out" : "none";
    this.content.style.transform = this.#scale === 1 && this.#x === 0 && this.#y === 0 ? "" : `translate(${this.#x}px, ${this.#y}px) scale(${this.#scale})`;
    this.element.classList.toggle("enlarged", this.#scale > 1);
  }

  // Keeps an enlarged photo on the stage.
  #keepInside() {
    if (this.#scale <= 1) return;
    const [width, height] = [this.content.offsetWidth, this.content.offsetHeight];
    const [x, y] = [Math.max(0, (width * this.#scale - innerWidth * 0.5) / 2), Math.max(0, (height * this.#scale - innerHeight * 0.5) / 2)];
    this.#x = Math.min(x, Math.max(-x, this.#x));
    this.#y = Math.min(y, Math.max(-y, this.#y));
  }
}

const middleOf = (points) => ({
  x: points.reduce((sum, { x }) => sum + x, 0) / points.length, y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
});

const distanceOf = ([a, b]) => (b ? Math.hypot(a.x - b.x, a.y - b.y) : 0);
