// A photo: its ThumbHash at once, and over it the rendition that fits its size on the screen, once it is near.

import { h } from "./dom.js";
import { placeholderURL } from "./placeholder.js";
import { t } from "./texts.js";

const nothing = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";  // One transparent pixel.

export function altOf(post, index) {
  return post.photos[index].alt || t("photo.alt", { index: index + 1, name: post.name || post.uid });
}

// The sources of the images that wait until they are near: on the screen at first, so that scripts and visible images
// load before others, and within a screen and a half of it once the reader has scrolled.
const sources = new WeakMap();
let watcher = watch("0px");

addEventListener("scroll", () => {
  watcher.disconnect();
  watcher = watch("150% 0px");
  for (const image of document.querySelectorAll(".photo-frame img")) if (sources.has(image)) watcher.observe(image);
}, { once: true, passive: true });

function watch(rootMargin) {
  return new IntersectionObserver((entries, watcher) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      watcher.unobserve(target);
      load(target, sources.get(target));
      sources.delete(target);
    }
  }, { rootMargin });
}

function load(image, { srcset, src }) {
  if (srcset) image.srcset = srcset;
  image.src = src;
}

// The width in pixels that is enough for a photo in a list on a phone, for any density of its screen.
const enough = 700;

// The renditions for a list. The service has the same rule for the lists in its HTML.
export function listed({ renditions }) {
  const last = innerWidth < 640 ? renditions.findIndex(({ width }) => width >= enough) : -1;
  return last < 0 ? renditions : renditions.slice(0, last + 1);
}

// `sizes` is the width of the photo, in the form of the attribute of an image. An eager photo does not wait until it is
// near.
export function photoElement(photo, { alt, sizes, renditions = photo.renditions, isEager = false, isFirst = false }) {
  const largest = renditions.at(-1);
  const image = h("img", {
    alt, sizes, width: photo.width || largest?.width || 3, height: photo.height || largest?.height || 2, decoding: "async",
    fetchpriority: isFirst ? "high" : null,
  });
  const source = { srcset: renditions.map(({ url, width }) => `${url} ${width}w`).join(", "), src: largest?.url ?? nothing };
  if (isEager || !largest) {
    load(image, source);
  } else {
    sources.set(image, source);
    watcher.observe(image);
  }
  const frame = h("span", { class: "photo-frame" }, image);
  if (photo.color) frame.style.backgroundColor = photo.color;
  const placeholder = placeholderURL(photo.hash);
  if (placeholder) frame.style.backgroundImage = `url(${placeholder})`;
  frame.classList.toggle("missing", !largest);
  const bloom = () => frame.classList.add("loaded");
  if (image.complete && image.naturalWidth > 1) bloom();
  else image.addEventListener("load", bloom, { once: true });
  // If the file is missing, as in a tree that was copied without its files, the placeholder stays.
  image.addEventListener("error", () => {
    image.removeAttribute("srcset");
    image.src = nothing;
    frame.classList.add("missing");
  }, { once: true });
  return frame;
}
