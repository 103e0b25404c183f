// A photo: its ThumbHash at once, and over it the rendition that its place on the screen needs.

import { h } from "./dom.js";
import { placeholderURL } from "./placeholder.js";
import { t } from "./texts.js";

const nothing = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";  // One transparent pixel.

export function altOf(post, index) {
  return post.photos[index].alt || t("photo.alt", { index: index + 1, name: post.name || post.uid });
}

// `sizes` is the width that the photo will have, as the attribute of an image says it.
export function photoElement(photo, { alt, sizes, isEager = false, isFirst = false }) {
  const largest = photo.renditions.at(-1);
  const image = h("img", {
    alt, sizes, width: photo.width || largest?.width || 3, height: photo.height || largest?.height || 2, decoding: "async",
    loading: isEager ? null : "lazy", fetchpriority: isFirst ? "high" : null,
    srcset: photo.renditions.map(({ url, width }) => `${url} ${width}w`).join(", ") || null,
    src: largest?.url ?? nothing,
  });
  const frame = h("span", { class: "photo-frame" }, image);
  if (photo.color) frame.style.backgroundColor = photo.color;
  const placeholder = placeholderURL(photo.hash);
  if (placeholder) frame.style.backgroundImage = `url(${placeholder})`;
  frame.classList.toggle("missing", !largest);
  const bloom = () => frame.classList.add("loaded");
  if (image.complete && image.naturalWidth > 1) bloom();
  else image.addEventListener("load", bloom, { once: true });
  // Of a photo whose file is not here, as in a tree that was copied without its files, the placeholder remains.
  image.addEventListener("error", () => {
    image.removeAttribute("srcset");
    image.src = nothing;
    frame.classList.add("missing");
  }, { once: true });
  return frame;
}
