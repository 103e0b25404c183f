// Elements, numbers and times for the operations page. Texts of others only ever become text.

import { language, t } from "/page/ops-text.js";

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.setAttribute("class", value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// Changes a text only if it differs, so that nothing is announced or selected again.
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Updates the children of a list to match items, keeping the elements of those that stay, and with them the focus.
export function reconcile(list, items, keyOf, make, update) {
  const present = new Map([...list.children].map((child) => [child.dataset.key, child]));
  let place = null;
  for (const item of items) {
    const key = keyOf(item);
    let element = present.get(key);
    present.delete(key);
    if (!element) {
      element = make(item);
      element.dataset.key = key;
    }
    update?.(element, item);
    const next = place ? place.nextSibling : list.firstChild;
    if (element !== next) list.insertBefore(element, next);
    place = element;
  }
  for (const element of present.values()) element.remove();
}

// MARK: Numbers and times

const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });
const relative = new Intl.RelativeTimeFormat(language, { numeric: "always", style: "short" });
const moment = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });

export const count = (number) => whole.format(number);
export const rate = (number) => (number === 0 ? "0" : number < 0.01 ? `< ${short.format(0.01)}` : short.format(number));
export const time = (milliseconds) => moment.format(milliseconds);

const tenths = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

// A number of bytes in the largest fitting unit, such as "62.4 GiB", as the command line writes it.
export function bytes(number) {
  let [amount, unit] = [number, null];
  for (const larger of ["KiB", "MiB", "GiB", "TiB", "PiB"]) {
    if (amount < (unit ? 1023.95 : 1024)) break;
    [amount, unit] = [amount / 1024, larger];
  }
  return unit ? `${tenths.format(amount)} ${unit}` : t("bytes", { count: Math.round(number) });
}

const spans = [["second", 1, 90], ["minute", 60, 90 * 60], ["hour", 3600, 48 * 3600], ["day", 86400, Infinity]]
  .map(([unit, seconds, limit]) => ({ unit, seconds, limit, format: new Intl.NumberFormat(language, {
    style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 0 }) }));

const spanOf = (seconds) => spans.find(({ limit }) => seconds < limit);

export function duration(seconds) {
  const span = spanOf(Math.max(0, seconds));
  return span.format.format(Math.round(Math.max(0, seconds) / span.seconds));
}

export function ago(milliseconds, now = Date.now()) {
  const seconds = Math.max(0, (now - milliseconds) / 1000);
  const span = spanOf(seconds);
  return relative.format(-Math.round(seconds / span.seconds), span.unit);
}

// A <time> with a relative time, and the exact one as its title.
export function timeElement(milliseconds) {
  return h("time", { datetime: new Date(milliseconds).toISOString(), title: time(milliseconds), dataset: { ago: milliseconds } },
    ago(milliseconds));
}

export function renewTimes(root) {
  for (const element of root.querySelectorAll("time[data-ago]")) say(element, ago(Number(element.dataset.ago)));
}
