// The pages of a list, read from the service.

import { api } from "./http.js";
import { postOf } from "./post-json.js";

// The number of posts of a page.
export const pageSize = 24;

// Begins to read the first page of a list, before it is known whether the list will be shown.
export function readAhead(source) {
  source.ahead = readPage(source, null, pageSize);
  source.ahead.catch(() => {});  // The list shows the error, if it is shown.
}

// Reads the page after a cursor: { posts, next, hasMore, token, skipped }. Throws a Problem.
export async function readPage(source, before, limit) {
  const { list, ahead } = source;
  if (ahead && !before) {
    source.ahead = null;
    return ahead;
  }
  const query = new URLSearchParams({ limit });
  if (before) query.set("before", before);
  const response = await api(`${list}?${query}`);
  const page = await response.json();
  for (const { path, reason } of page.skipped ?? []) console.warn(`${path} is no post: ${reason}`);
  const posts = page.posts.map((json) => readable(json)).filter(Boolean);
  return {
    posts, next: page.next ?? null, hasMore: page.has_more, token: Number(response.headers.get("Tintype-Token")) || 0,
    skipped: page.skipped?.length ?? 0,
  };
}

// Reads a post; null if it is invalid. The service skips such records, but another version of it may not.
export function readable(json, position) {
  try {
    return postOf(json, position);
  } catch (error) {
    console.warn(`posts/${json?.post_id} is no post: ${error.message}`);
    return null;
  }
}
