// A page of a list: posts that were read together. While it is far from the screen, it is an empty box of its height,
// and later its posts are forgotten, too; they are read again when it is near.

import { placesOf } from "./layout.js";

// The number of posts that are added with each frame, over all pages; `unfilled` holds the pages to be filled, the next
// one first.
const sliceLength = 3;
const unfilled = new Set();

function fillWithFrames(page) {
  if (unfilled.size === 0) requestAnimationFrame(fillNext);
  unfilled.add(page);
}

function fillNext() {
  const [page] = unfilled;
  if (page.fill()) unfilled.delete(page);
  if (unfilled.size > 0) requestAnimationFrame(fillNext);
}

export class FeedPage {
  // { before: the cursor after which it begins, ids, posts or null, height in pixels }
  constructor(list, { before, posts = null, ids = [], count = ids.length, height = 0 }) {
    Object.assign(this, { list, before, posts, ids, count, height, isNear: false, isShown: false, lastUsed: 0 });
    if (posts) this.take(posts);
    this.element = document.createElement("div");
    this.element.className = "page";
    this.element.role = "presentation";
    this.element.page = this;
    this.reserve();
  }

  take(posts) {
    this.posts = posts;
    this.ids = posts.map(({ id }) => id);
    this.count = posts.length;
  }

  reserve() {
    if (this.height > 0) this.element.style.blockSize = `${this.height}px`;
  }

  // Shows its posts, which must have been read: some of them with each frame, so that scrolling stays smooth.
  show({ isEager = false } = {}) {
    this.lastUsed = performance.now();
    if (this.isShown || !this.posts) return;
    this.isShown = true;
    const places = this.layOut();
    this.reserve();
    this.element.replaceChildren();
    if (!isEager || !this.#fill(places)) fillWithFrames(this);
  }

  // Shows some more posts; true when all are shown.
  fill() {
    return !this.isShown || this.#fill(this.layOut());
  }

  #fill(places) {
    const start = this.element.childElementCount;
    this.element.append(...this.posts.slice(start, start + sliceLength).map((post, index) => (
      this.#card(post, places?.[start + index]))));
    if (places) this.#place(places, start);
    this.list.number(this);
    if (this.element.childElementCount < this.posts.length) return false;
    if (!places) this.element.style.blockSize = "";
    return true;
  }

  // Resolves when all its posts are shown.
  async filled() {
    while (this.isShown && this.element.childElementCount < this.posts.length) await new Promise(requestAnimationFrame);
  }

  // Replaces it with an empty box, unless the reader uses something in it.
  hide() {
    if (!this.isShown || this.element.contains(document.activeElement)) return;
    this.measure();
    this.isShown = false;
    this.element.replaceChildren();
    this.reserve();
    this.dropGone();
  }

  measure() {
    if (this.isShown) this.height = this.element.getBoundingClientRect().height;
  }

  // Computes the positions of the tiles, and the height of the page; null for cards, whose height depends on their
  // content.
  layOut() {
    if (this.list.form !== "tile" || !this.posts) return null;
    const { places, height } = placesOf(this.posts.map(this.list.maker.ratio), this.list.grid);
    this.height = height;
    return places;
  }

  // Draws it again if it is shown, after its posts or the width have changed.
  redraw() {
    if (this.posts) this.take(this.posts);
    if (!this.isShown) {
      this.layOut();
      return this.reserve();
    }
    const places = this.layOut();
    const cards = new Map([...this.element.children].map((card) => [card.dataset.id, card]));
    const shown = this.posts.map((post, index) => cards.get(post.id) ?? this.#card(post, places?.[index], true));
    for (const card of this.element.children) if (!shown.includes(card)) card.remove();
    shown.forEach((card, index) => { if (this.element.children[index] !== card) this.element.insertBefore(card, this.element.children[index]); });
    if (places) this.#place(places); else this.element.style.blockSize = "";
    this.list.number(this);
  }

  #card(post, place, isEager = false) {
    const card = this.list.maker.element(post, { isEager, sizes: place && `${Math.ceil(place.width)}px` });
    card.post = post;
    return card;
  }

  #place(places, start = 0) {
    this.element.style.blockSize = `${this.height}px`;
    [...this.element.children].slice(start).forEach((card, index) => {
      const { left, top, width, height } = places[start + index];
      Object.assign(card.style, {
        insetInlineStart: `${left}px`, insetBlockStart: `${top}px`, inlineSize: `${width}px`, blockSize: `${height}px`,
      });
    });
  }

  cardOf(id) {
    return [...this.element.children].find((card) => card.dataset.id === id) ?? null;
  }

  // Applies changed fields of a post.
  update(id, fields) {
    const post = this.posts?.find((post) => post.id === id);
    if (!post) return;
    const before = post.text;
    Object.assign(post, fields(post));
    const card = this.cardOf(id);
    if (!card) return;
    if (post.text === before) this.list.maker.showNumbers(card, post); else this.#replace(card, post);
  }

  // Replaces a post with another state.
  put(post) {
    const index = this.ids.indexOf(post.id);
    if (!this.posts || index < 0) return;
    this.posts[index] = post;
    const card = this.cardOf(post.id);
    if (card) this.#replace(card, post);
    if (this.list.form === "tile") this.redraw();
  }

  #replace(card, post) {
    const index = this.ids.indexOf(post.id);
    const hadFocus = card.contains(document.activeElement);
    const other = this.#card(post, this.layOut()?.[index], true);
    other.style.cssText = card.style.cssText;
    card.replaceWith(other);
    if (hadFocus) other.focus({ preventScroll: true });
    this.list.number(this);
  }

  // Removes a post. If it may be visible, an empty space stays until the page has left the screen.
  remove(id) {
    const index = this.ids.indexOf(id);
    if (index < 0) return;
    const card = this.cardOf(id);
    if (card && this.list.isOnScreen(this.element)) {
      card.classList.add("gone");
      card.inert = true;
      card.ariaHidden = "true";
      return;
    }
    this.#take(index);
  }

  #take(index) {
    this.ids.splice(index, 1);
    this.posts?.splice(index, 1);
    this.count = this.ids.length;
    this.redraw();
  }

  dropGone() {
    const isGone = (id) => this.list.gone.has(id);
    if (!this.ids.some(isGone)) return;
    if (this.posts) this.take(this.posts.filter(({ id }) => !isGone(id)));
    this.layOut();
    this.reserve();
  }
}
