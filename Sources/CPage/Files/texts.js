// The texts of the pages in the reader's language, which the service has chosen for the document.

export const language = document.documentElement.lang || "en";
const { default: texts } = await import(`./texts.${language}.js`);
const plurals = new Intl.PluralRules(language);

// The text of a key with its values: `t("card.likes", { count: 3 })`. If there are several forms, `count` chooses one.
export function t(key, values = {}) {
  const entry = texts[key] ?? key;
  const text = typeof entry === "string" ? entry : entry[plurals.select(values.count)] ?? entry.other;
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name];
    return typeof value === "number" ? number(value) : value ?? whole;
  });
}

// Adds the texts of a part of the page that is loaded late.
export function addTexts(others) {
  Object.assign(texts, others);
}

const numbers = new Intl.NumberFormat(language);
const shortNumbers = new Intl.NumberFormat(language, { notation: "compact" });
export const number = (value) => (value < 10000 ? numbers : shortNumbers).format(value);

const spans = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
const units = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60]];

// The relative form of a time in milliseconds since 1970, such as "5 minutes ago".
export function ago(time) {
  const seconds = (time - Date.now()) / 1000;
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return unit === "second" ? spans.format(0, "second") : spans.format(Math.round(seconds / length), unit);
}

const dates = new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short" });
export const exactly = (time) => dates.format(time);
