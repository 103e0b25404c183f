// Posts in the service's JSON.

import { withPending } from "./posts.js";

// The address of a file on the host of this page: posts may name it by the service's public address, while the page is
// at another one, and loads nothing from elsewhere.
export function addressOf(url) {
  const link = document.createElement("a");  // It accepts invalid addresses, too.
  link.href = url;
  return link.pathname + link.search;
}

// The renditions that show the whole photo, else all renditions.
function renditionsOf(photo) {
  const all = Object.values(photo.renditions ?? {})
    .map(({ url, width, height }) => ({ url: addressOf(url), width, height }))
    .sort((a, b) => a.width - b.width);
  const whole = all.filter(({ width, height }) => Math.abs(width / height - photo.width / photo.height) < 0.05);
  return whole.length > 0 ? whole : all;
}

// Reads a post of the service; throws if it is invalid.
export function postOf(json, position) {
  if (!Number.isFinite(json.timestamp) || Math.abs(json.timestamp) > 8.64e15) throw new TypeError("its timestamp is invalid");
  return withPending({
    id: json.post_id,
    position: Number.parseInt(position ?? json.published, 10) || 0,
    uid: json.author?.uid ?? "",
    name: json.author?.full_name ?? "",
    picture: json.author?.profile_picture ? addressOf(json.author.profile_picture) : null,
    time: json.timestamp,
    text: json.text ?? "",
    mentions: Object.values(json.mentions ?? {}),
    photos: Object.values(json.photos ?? {}).map((photo) => ({
      width: photo.width, height: photo.height, hash: photo.placeholder ?? "", color: photo.color ?? "", alt: photo.alt ?? "",
      renditions: renditionsOf(photo),
    })),
    likes: json.counts?.likes ?? 0,
    comments: json.counts?.comments ?? 0,
    liked: json.liked ?? false,
    first: Object.values(json.comments ?? {}),
  });
}
