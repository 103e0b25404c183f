// The live changes of a list. New posts are inserted at the top if the reader is there; otherwise a button announces
// them, and the reader is not interrupted.

import { h } from "./dom.js";
import { FeedPage } from "./feed-page.js";
import { pageSize, readable } from "./feed-source.js";
import { follow } from "./live.js";
import { announce } from "./shell.js";
import { t } from "./texts.js";

// The size at which a growing page at the top is divided.
const largestPage = 2 * pageSize;
// The distance from the top, in pixels, within which the reader counts as being there.
const topEdge = 80;

export class FeedLive {
  // The ids of the posts that are not shown yet; "" stands for an unknown number.
  #fresh = new Set();
  // The events that arrived while a page was being read, which may be of an earlier state.
  #recent = [];
  #stop = null;

  constructor(feed) {
    this.feed = feed;
    this.pill = h("button", { type: "button", class: "pill", hidden: true, onclick: () => this.#show() });
    feed.prepend(this.pill);
  }

  begin() {
    this.pause();
    this.#fresh.clear();
    this.#showPill();
    const { feed } = this;
    if (!feed.source.events) return;
    this.#stop = follow(feed.source.events, {
      since: feed.token,
      onState: (isLive) => {
        document.body.dataset.live = isLive ? "live" : "offline";
        document.dispatchEvent(new Event("live"));
        if (isLive) for (const page of feed.pages) if (page.isNear && !page.isShown) feed.see(page, true);
      },
      onEvent: (event) => {
        if (feed.box.ariaBusy === "true") this.#recent.push(event);
        this.#apply(event);
      },
    });
  }

  pause() {
    this.#stop?.();
    this.#stop = null;
  }

  end() { this.pause(); }

  // Applies the stored events to a page of the state of that token.
  catchUp(token) {
    for (const event of this.#recent.splice(0)) if (event.token > token) this.#apply(event);
  }

  get #isAtTop() { return scrollY < topEdge; }

  // The position up to which the list is complete.
  get #top() { return (Number.parseInt(this.feed.pages[0]?.before, 10) || this.feed.token + 1) - 1; }

  #apply({ type, data }) {
    const { feed } = this;
    if (type === "resnapshot") {
      if (this.#isAtTop) feed.reload(); else this.#offer("");
    } else if (type === "left") {
      feed.removeAll(data?.author);
    } else if (type === "put" && data?.path) {
      this.#put(data.path.slice(1), data);
    }
  }

  async #put(id, { data, position }) {
    const { feed } = this;
    if (data === null) {
      if (this.#fresh.delete(id)) this.#showPill();
      return feed.remove(id);
    }
    const post = readable({ ...data, post_id: id }, position);
    if (!post || !(await feed.source.accepts(post))) return;
    feed.gone.delete(id);
    const page = feed.pageOf(id);
    // Events do not contain counts.
    const known = feed.post(id);
    if (page) return page.put(known ? { ...post, likes: known.likes, comments: known.comments, liked: known.liked, first: known.first } : post);
    // Older posts arrive with their pages.
    if (post.position > this.#top) this.#offer(id, post);
  }

  #offer(id, post = null) {
    if (post && this.#isAtTop && this.#fresh.size === 0 && (this.feed.pages[0]?.isShown ?? true)) return this.#prepend(post);
    this.#fresh.add(id);
    this.#showPill();
  }

  #prepend(post) {
    const { feed } = this;
    let page = feed.pages[0];
    if (page) {
      page.posts.unshift(post);
      page.before = String(post.position + 1);
      page.redraw();
      if (page.posts.length > largestPage) this.#divide(page);
    } else {
      page = new FeedPage(feed, { before: String(post.position + 1), posts: [post] });
      feed.insert(page, 0);
    }
    page.cardOf(post.id)?.classList.add("new");
    feed.showFoot();
    announce(t("feed.arrived", { name: post.name || post.uid }));
  }

  // Divides a page that has grown.
  #divide(page) {
    const rest = page.posts.splice(pageSize);
    page.redraw();
    this.feed.insert(new FeedPage(this.feed, { before: String(rest[0].position + 1), posts: rest }), 1);
  }

  #showPill() {
    const count = this.#fresh.size;
    this.pill.hidden = count === 0;
    this.pill.textContent = this.#fresh.has("") ? t("feed.changed") : t("feed.fresh", { count });
    if (count > 0) announce(this.pill.textContent);
  }

  // Scrolls to the top, and shows the new posts.
  async #show() {
    scrollTo({ top: 0, behavior: "instant" });
    await this.feed.reload();
    this.feed.box.querySelector("article")?.focus({ preventScroll: true });
  }
}
