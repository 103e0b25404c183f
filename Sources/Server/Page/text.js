// Texts of posts and comments, with links to the hashtags and people in them.

import { h } from "./dom.js";

// A text with its links. A line that begins from right to left is set so.
export function textElement(post, tag = "p") {
  return h(tag, { class: "text", dir: "auto" }, partsOf(post).map(({ text, href }) => (href ? h("a", { href }, text) : text)));
}

// The parts of a text: { text } or { text, href }, for hashtags and for whoever is mentioned.
function partsOf({ text, mentions }) {
  const links = mentions.map(({ uid, start, length }) => ({ start, end: start + length, href: `/people/${encodeURIComponent(uid)}` }));
  for (const match of text.matchAll(/(?<![\p{L}\p{N}_])#([\p{L}\p{N}_]{1,100})/gu)) {
    if (/^\p{N}+$/u.test(match[1])) continue;
    links.push({ start: match.index, end: match.index + match[0].length, href: `/tags/${encodeURIComponent(match[1].toLowerCase())}` });
  }
  const parts = [];
  let end = 0;
  for (const link of links.sort((a, b) => a.start - b.start)) {
    if (link.start < end || link.end > text.length) continue;
    if (link.start > end) parts.push({ text: text.slice(end, link.start) });
    parts.push({ text: text.slice(link.start, link.end), href: link.href });
    end = link.end;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

// The hashtags of a text, in lower case.
export const tagsOf = (text) => partsOf({ text, mentions: [] }).filter(({ href }) => href)
  .map((part) => part.text.slice(1).toLowerCase());
