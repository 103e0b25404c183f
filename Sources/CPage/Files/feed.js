// <post-feed>: an endless list of posts. It reads two screens ahead and shows what is near the screen. feed-live.js
// shows changes, and feed-places.js keeps the reader's position: both are loaded when the first page is shown.

import { h } from "./dom.js";
import { FeedPage } from "./feed-page.js";
import { pageSize, readPage } from "./feed-source.js";
import { changes, doings } from "./posts.js";
import { t } from "./texts.js";
import { keptUser } from "./who.js";

// The number of pages that keep their posts.
const keptPages = 14;
// The wait before a failed page is read again, in milliseconds, so that the reader need not ask for it.
const patience = 5000;

class PostFeed extends HTMLElement {
  // { list: address, events: address or null, accepts: post → Boolean, label, empty: () → element }
  source = null;
  // "tile" for the grid, "card" for the feed.
  form = "tile";
  // The module that creates the elements of that form.
  maker = null;
  pages = [];
  // The cursor after the last page, and whether more pages follow; the position of the list in the change log.
  next = null;
  hasMore = true;
  token = 0;
  // The ids of posts that were deleted while they were on the screen.
  gone = new Set();
  #loading = null;
  #ends = [];
  #width = 0;

  // Shows the list: from the service's HTML (`first`), at a stored position (`saved`), or from the top.
  async draw({ source, form, first = null, saved = null }) {
    Object.assign(this, { source, form });
    this.maker = await (form === "tile" ? import("./tile.js") : import("./post-card.js"));
    this.classList.add(form === "tile" ? "grid" : "cards");
    this.box = h("div", { class: "list", role: "feed", "aria-label": source.label, "aria-busy": "false" });
    this.foot = h("div", { class: "foot" });
    this.replaceChildren(this.box, this.foot);
    this.#width = this.box.clientWidth;
    this.#observe();
    if (saved) {
      await (await import("./feed-places.js")).restore(this, saved).catch(() => this.reload());
    } else if (first && first.posts.length > 0) {
      this.adopt(first);
    } else {
      await this.reload();
    }
  }

  // Starts to follow changes.
  async begin() {
    if (this.isConnected) await this.#follow();
  }

  async #follow() {
    const { FeedLive } = await import("./feed-live.js");
    if (!this.isConnected) return;
    this.live = new FeedLive(this);
    this.#ends.push(() => this.live.end());
    this.live.begin();
  }

  disconnectedCallback() {
    for (const end of this.#ends.splice(0)) end();
  }

  // The geometry of the justified grid, in pixels.
  get grid() {
    const width = this.#width;
    return { width, wanted: width < 600 ? width / 2.2 : Math.min(340, Math.max(200, width / 5.2)), gap: width < 600 ? 4 : 8 };
  }

  // MARK: Reading

  // Reads the list again from its top.
  async reload() {
    this.live?.pause();
    this.gone.clear();
    this.pages = [];
    this.box.replaceChildren();
    [this.next, this.hasMore, this.#loading] = [null, true, null];
    if (await this.loadMore()) this.live?.begin();
  }

  // Reads the next page; false at the end, or after an error, which the foot of the list shows.
  async loadMore() {
    if (!this.hasMore) return false;
    this.#loading ??= this.#read().finally(() => { this.#loading = null; });
    return this.#loading;
  }

  async #read() {
    this.box.ariaBusy = "true";
    this.foot.replaceChildren(h("p", { class: "loading" }, t("feed.loading")));
    try {
      this.adopt(await this.#page(this.next, pageSize));
      return true;
    } catch (problem) {
      // What the rules hide from a member is no error that the member could mend.
      if ((problem.status === 404 || (problem.isForbidden && keptUser())) && this.pages.length === 0) {
        this.hasMore = false;
        this.showFoot();
        return true;
      }
      if (problem.isForbidden && this.pages.length === 0) this.dispatchEvent(new Event("forbidden", { bubbles: true }));
      const again = () => { if (this.isConnected && !this.#loading) this.pages.length > 0 ? this.loadMore() : this.reload(); };
      this.foot.replaceChildren(h("p", { role: "alert" }, problem.message), h("button", { type: "button", onclick: again }, t("feed.again")));
      if (problem.isPassing) setTimeout(again, patience);
      return false;
    } finally {
      this.box.ariaBusy = "false";
    }
  }

  #page(before, limit) {
    return readPage(this.source, before, limit);
  }

  // Appends a page.
  adopt({ posts, next, hasMore, token, skipped = 0 }) {
    if (this.pages.length === 0) this.token = token;
    // The first page has the position of the list as its cursor: it contains no later posts.
    const before = this.pages.length === 0 ? String(this.token + 1) : this.next;
    const page = new FeedPage(this, { before, posts: posts.filter(({ id }) => !this.pageOf(id)) });
    [this.next, this.hasMore] = [next, hasMore];
    this.skipped = (this.skipped ?? 0) + skipped;
    if (page.count > 0) this.insert(page, this.pages.length);
    this.live?.catchUp(token);
    // A new foot: it is created in its final position, because visible elements must not move; and an observer would
    // not report an old one that stays near the screen, because it reports only changes.
    const foot = h("div", { class: "foot" });
    this.footObserver.unobserve(this.foot);
    this.foot.replaceWith(foot);
    this.foot = foot;
    this.showFoot();
    this.footObserver.observe(foot);
  }

  insert(page, index) {
    this.pages.splice(index, 0, page);
    this.box.insertBefore(page.element, this.box.children[index] ?? null);
    page.show({ isEager: index === 0 });
    this.pageObserver.observe(page.element);
  }

  // Reads the forgotten posts of a page again.
  async recall(page) {
    if (page.posts) return;
    page.recalling ??= this.#page(page.before, Math.min(200, Math.max(1, page.count))).then(({ posts }) => {
      const index = this.pages.indexOf(page);
      const others = new Set([...(this.pages[index - 1]?.ids ?? []), ...(this.pages[index + 1]?.ids ?? [])]);
      page.take(posts.filter(({ id }) => !others.has(id) && !this.gone.has(id)));
      page.lastUsed = performance.now();
    }).finally(() => { page.recalling = null; });
    await page.recalling;
  }

  // MARK: The screen

  #observe() {
    this.pageObserver = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) this.see(target.page, isIntersecting);
    }, { rootMargin: "100% 0px" });
    this.footObserver = new IntersectionObserver((entries) => {
      if (entries.at(-1).isIntersecting) this.loadMore();
    }, { rootMargin: "200% 0px" });
    const resized = new ResizeObserver(() => this.#resize());
    resized.observe(this.box);
    this.#ends.push(() => this.pageObserver.disconnect(), () => this.footObserver.disconnect(), () => resized.disconnect());
    this.#listen(changes, "change", ({ id, fields }) => this.pageOf(id)?.update(id, fields));
    this.#listen(doings, "deleted", ({ id }) => this.remove(id));
    this.#listen(doings, "restored", ({ post }) => {
      this.gone.delete(post.id);
      if (this.pageOf(post.id)) this.pageOf(post.id).put(post); else this.reload();
    });
    this.#listen(doings, "block", ({ uid, isOn }) => { if (isOn) this.removeAll(uid); });
    this.addEventListener("keydown", (event) => this.#press(event));
  }

  // Moves from post to post by keys (ARIA's pattern of a feed).
  async #press(event) {
    const step = { PageDown: 1, PageUp: -1, j: 1, k: -1 }[event.key];
    if (!step || event.target.closest("input, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    (await import("./feed-places.js")).step(this, event.target.closest("article"), step);
  }

  #listen(target, name, run) {
    const listener = ({ detail }) => run(detail);
    target.addEventListener(name, listener);
    this.#ends.push(() => target.removeEventListener(name, listener));
  }

  // Shows a page that comes near the screen, and empties one that leaves it.
  async see(page, isNear) {
    page.isNear = isNear;
    if (!isNear) {
      page.hide();
      return this.#forget();
    }
    try {
      await this.recall(page);
    } catch {
      // It is read again when the service is back, and also after a while, because nothing may signal that.
      if (page.isNear) setTimeout(() => { if (page.isNear && this.isConnected) this.see(page, true); }, patience);
      return;
    }
    if (!page.isNear) return;
    page.show();
    // The pages beside it are needed next.
    const index = this.pages.indexOf(page);
    for (const beside of [this.pages[index - 1], this.pages[index - 2], this.pages[index + 1]]) {
      if (beside) this.recall(beside).catch(() => {});
    }
  }

  #forget() {
    const kept = this.pages.filter(({ posts }) => posts);
    if (kept.length <= keptPages) return;
    // A page that is near will be shown soon.
    const old = kept.filter(({ isShown, isNear }) => !isShown && !isNear).sort((a, b) => a.lastUsed - b.lastUsed);
    for (const page of old.slice(0, kept.length - keptPages)) page.posts = null;
  }

  isOnScreen(element) {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  }

  async #resize() {
    const width = this.box.clientWidth;
    if (width === this.#width || width === 0) return;
    const { anchorOf, hold } = await import("./feed-places.js");
    const anchor = anchorOf(this);
    const scale = this.#width / width;
    this.#width = width;
    for (const page of this.pages) {
      // Unread pages are measured when they are shown.
      if (!page.posts) page.height *= scale;
      page.redraw();
    }
    hold(this, anchor);
  }

  // MARK: Posts

  pageOf(id) {
    return this.pages.find(({ ids }) => ids.includes(id)) ?? null;
  }

  post(id) {
    return this.pageOf(id)?.posts?.find((post) => post.id === id) ?? null;
  }

  get length() {
    return this.pages.reduce((sum, { count }) => sum + count, 0);
  }

  remove(id) {
    const page = this.pageOf(id);
    if (!page) return;
    this.gone.add(id);
    page.remove(id);
    if (this.pages.every(({ ids }) => ids.every((id) => this.gone.has(id))) && !this.hasMore) this.reload(); else this.showFoot();
  }

  // Removes all posts of a person.
  removeAll(uid) {
    for (const page of this.pages) for (const post of page.posts?.filter((post) => post.uid === uid) ?? []) this.remove(post.id);
  }

  // Tells screen readers the number of each post of a page, and the total.
  number(page) {
    let position = 0;
    for (const other of this.pages) {
      if (other === page) break;
      position += other.count;
    }
    for (const card of page.element.children) {
      position += 1;
      card.ariaPosInSet = String(position);
      card.ariaSetSize = this.hasMore ? "-1" : String(this.length);
    }
  }

  showFoot() {
    if (this.length === 0 && !this.hasMore) this.foot.replaceChildren(this.source.empty());
    else if (!this.hasMore) this.foot.replaceChildren(h("p", { class: "end" }, t("feed.end")));
    else this.foot.replaceChildren();
    if (this.skipped > 0) this.foot.append(h("p", { class: "skipped" }, t("feed.skipped", { count: this.skipped })));
  }
}

customElements.define("post-feed", PostFeed);
