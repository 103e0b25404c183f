// Pictures of failed files: reduced by the service if it can decode them, else the originals, which the browser may
// show.

import { h } from "/page/ops-dom.js";
import { ask } from "/page/ops-service.js";
import { t } from "/page/ops-text.js";

const LARGEST = 12_000_000;
const ATONCE = 2;
const shown = ["image/jpeg", "image/png", "image/gif", "image/webp", "image/avif"];

// The codes of files that the service cannot reduce.
const undecodable = ["truncated", "corrupt", "unsupported_format", "empty", "decoder_crashed", "decoder_timed_out"];

const waiting = [];
let running = 0;

function pump() {
  while (running < ATONCE && waiting.length > 0) {
    running += 1;
    waiting.shift()().finally(() => { running -= 1; pump(); });
  }
}

const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    waiting.push(() => load(target));
    pump();
  }
}, { rootMargin: "300px" });

async function bytesOf(failure) {
  const path = `/v1/failures/${encodeURIComponent(failure.id)}/picture`;
  if (!undecodable.includes(failure.code)) {
    try {
      return await (await ask(`${path}?width=320`)).blob();
    } catch (error) {
      if (!error.status) throw error;
    }
  }
  if ((failure.bytes ?? 0) > LARGEST) throw new Error("too large to look at");
  const blob = await (await ask(path)).blob();
  if (!shown.includes(blob.type)) throw new Error(blob.type);
  return blob;
}

const failures = new WeakMap();

async function load(frame) {
  const failure = failures.get(frame);
  let address;
  try {
    address = URL.createObjectURL(await bytesOf(failure));
    const image = h("img", { alt: t("failures.picture", { file: failure.name }), decoding: "async" });
    image.src = address;
    await image.decode();
    frame.replaceChildren(image);
  } catch {
    frame.dataset.state = "none";
    frame.replaceChildren(h("span", {}, t("failures.no-picture")));
  } finally {
    if (address) URL.revokeObjectURL(address);  // The decoded picture stays.
  }
}

export function picture(failure) {
  const frame = h("div", { class: "picture", dataset: { state: "waiting" } });
  failures.set(frame, failure);
  seen.observe(frame);
  return frame;
}
