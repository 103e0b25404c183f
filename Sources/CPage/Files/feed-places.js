// Positions in a list: where the reader is, how to return there, and the posts before and after one.

import { FeedPage } from "./feed-page.js";

// The post at the top of the screen, and its distance from the top, in pixels; null for none.
export function anchorOf(feed) {
  const top = document.getElementById("top")?.getBoundingClientRect().bottom ?? 0;
  for (const [number, page] of feed.pages.entries()) {
    if (!page.isShown || page.element.getBoundingClientRect().bottom <= top) continue;
    for (const card of page.element.children) {
      const box = card.getBoundingClientRect();
      if (box.bottom > top + 1) return { id: card.dataset.id, offset: box.top, page: number };
    }
  }
  return null;
}

// Scrolls so that the post is at its former position.
export function hold(feed, anchor) {
  const card = anchor && feed.pageOf(anchor.id)?.cardOf(anchor.id);
  if (card) scrollBy({ top: card.getBoundingClientRect().top - anchor.offset, behavior: "instant" });
}

// The data with which the reader can return to this position, as JSON.
export function placeOf(feed) {
  for (const page of feed.pages) page.measure();
  return {
    token: feed.token, next: feed.next, hasMore: feed.hasMore, anchor: anchorOf(feed), form: feed.form, scroll: scrollY,
    pages: feed.pages.map(({ before, count, height }) => [before, count, Math.round(height)]),
  };
}

// Restores a list: boxes of the heights of all its pages, and the posts that were on the screen. Throws if that is no
// longer possible.
export async function restore(feed, saved) {
  [feed.token, feed.next, feed.hasMore] = [saved.token, saved.next, saved.hasMore];
  const isSame = saved.form === feed.form;
  feed.pages = saved.pages.map(([before, count, height]) => new FeedPage(feed, { before, count, height: isSame ? height : count * 200 }));
  feed.box.replaceChildren(...feed.pages.map(({ element }) => element));
  const page = feed.pages[saved.anchor?.page ?? 0];
  if (!page) throw new Error("nothing was there");
  await feed.recall(page);
  page.show({ isEager: true });
  await page.filled();
  scrollTo({ top: isSame ? saved.scroll : page.element.offsetTop, behavior: "instant" });
  hold(feed, saved.anchor);
  for (const { element } of feed.pages) feed.pageObserver.observe(element);
  feed.showFoot();
  feed.footObserver.observe(feed.foot);
}

// The post before (-1) or after (1) another one, read if necessary; null at the ends.
export async function neighbour(feed, id, step) {
  const page = feed.pageOf(id);
  if (!page) return null;
  await feed.recall(page);
  const ids = page.ids.filter((other) => other === id || !feed.gone.has(other));
  const beside = ids[ids.indexOf(id) + step];
  if (beside) return page.posts.find((post) => post.id === beside) ?? null;
  if (step > 0 && page === feed.pages.at(-1) && !(await feed.loadMore())) return null;
  const other = feed.pages[feed.pages.indexOf(page) + step];
  if (!other) return null;
  await feed.recall(other);
  return (step > 0 ? other.posts[0] : other.posts.at(-1)) ?? null;
}

// Scrolls to a post, if it is not on the screen, and gives it the focus.
export async function reveal(feed, id) {
  const page = feed.pageOf(id);
  if (!page) return;
  await feed.recall(page);
  page.show();
  await page.filled();
  const card = page.cardOf(id);
  if (!card) return;
  const { top, bottom } = card.getBoundingClientRect();
  if (top < 60 || bottom > innerHeight) card.scrollIntoView({ block: "center", behavior: "instant" });
  card.querySelector("a.photo, a.time")?.focus({ preventScroll: true });
}

// Gives the focus to the post before or after a visible one.
export function step(feed, article, step) {
  const cards = [...feed.box.querySelectorAll("article:not(.gone)")];
  const card = cards[cards.indexOf(article) + step];
  card?.focus({ preventScroll: true });
  card?.scrollIntoView({ block: "nearest", behavior: "instant" });
}
