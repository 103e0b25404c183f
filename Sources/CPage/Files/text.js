// Texts of posts and comments, with links to the addresses, hashtags and people in them. Hashtags.swift and WebAddresses.swift have
// the same rules.

import { h } from "./dom.js";

// A text with its links. A line that begins from right to left is displayed so.
export function textElement(post, tag = "p") {
  return h(tag, { class: "text", dir: "auto" }, partsOf(post).map(({ text, href, rel }) => (href ? h("a", { href, rel }, text) : text)));
}

const hashtag = /(?<![\p{L}\p{M}\p{N}_=/)])[#＃]([\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_·・\u200c]*[\p{L}\p{M}\p{N}_])?)/gu;
const address = /(?<![\p{L}\p{M}\p{N}_])https?:\/\/[\p{L}\p{N}[][^\s<>"`{}|\\^「」（）、。，]*/giu;

// An address without the punctuation that ends the sentence, and without a bracket that was opened before it.
function withoutEnd(text) {
  const count = (character) => text.split(character).length - 1;
  while (/[.,;:!?'*_~]$/.test(text) || (text.endsWith(")") && count("(") < count(")")) || (text.endsWith("]") && count("[") < count("]"))) {
    text = text.slice(0, -1);
  }
  return text;
}

// The web addresses in a text: { start, end, href }.
export function addressesOf(text) {
  return [...text.matchAll(address)].map((match) => ({ start: match.index, href: withoutEnd(match[0]) }))
    .filter(({ href }) => href.length <= 2000).map((link) => ({ ...link, end: link.start + link.href.length, rel: "nofollow noopener ugc" }));
}

const keyOf = (name) => name.toLowerCase().replaceAll("i\u0307", "i").normalize("NFC");

// The parts of a text: { text } or { text, href }, for addresses, hashtags and mentions.
function partsOf({ text, mentions }) {
  const links = mentions.map(({ uid, start, length }) => ({ start, end: start + length, href: `/people/${encodeURIComponent(uid)}` }));
  const addresses = addressesOf(text);
  links.push(...addresses);
  for (const match of text.matchAll(hashtag)) {
    if (!/\p{L}/u.test(match[1]) || [...match[1]].length > 100 || addresses.some(({ start, end }) => start <= match.index && match.index < end)) continue;
    const tag = keyOf(match[1]);
    links.push({ start: match.index, end: match.index + match[0].length, tag, href: `/tags/${encodeURIComponent(tag)}` });
  }
  const parts = [];
  let end = 0;
  for (const link of links.sort((a, b) => a.start - b.start)) {
    if (link.start < end || link.end > text.length) continue;
    if (link.start > end) parts.push({ text: text.slice(end, link.start) });
    parts.push({ ...link, text: text.slice(link.start, link.end) });
    end = link.end;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

// The hashtags of a text, in the form of their keys.
export const tagsOf = (text) => [...new Set(partsOf({ text, mentions: [] }).flatMap(({ tag }) => tag ?? []))];
