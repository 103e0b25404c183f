// The texts, icons and styles that the page needs after its first view.

import { h, icons as first } from "./dom.js";
import { addTexts, language } from "./texts.js";

addTexts((await import(`./late-texts.${language}.js`)).default);

export const icons = {
  ...first,
  close: "M6 6l12 12M18 6L6 18",
  next: "M9 5l7 7-7 7",
  previous: "M15 5l-7 7 7 7",
  plus: "M12 5v14M5 12h14",
  bell: "M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 21h4",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21c1-5 4-7 8-7s7 2 8 7",
  grid: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  list: "M5 4h14v9H5zM5 17h14M5 20h9",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  full: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
};

// Loads a style sheet of a module that is loaded late, once; resolves when it is ready.
export function stylesheet(name) {
  const known = document.head.querySelector(`link[data-name="${name}"]`);
  if (known) return known.ready ?? Promise.resolve();
  const link = h("link", { rel: "stylesheet", href: `/page/${name}`, dataset: { name } });
  link.ready = new Promise((resolve) => {
    link.addEventListener("load", resolve, { once: true });
    link.addEventListener("error", resolve, { once: true });
  });
  document.head.append(link);
  return link.ready;
}

// Whether the user prefers reduced motion.
export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
