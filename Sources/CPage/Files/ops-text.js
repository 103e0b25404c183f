// The texts of the operations page, in the reader's language.

export const language = document.documentElement.lang || "en";

const texts = (await import(`/page/ops-texts.${language}.js`)).default;
const plural = new Intl.PluralRules(language);
const number = new Intl.NumberFormat(language);

// A text by its key; {name} stands for a value, and {count} chooses between one and other.
export function t(key, values = {}) {
  let text = texts[`ops.${key}`] ?? key;
  if (typeof text === "object") text = text[plural.select(values.count)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === "number" ? number.format(value) : String(value);
  });
}

export const has = (key) => `ops.${key}` in texts;

// A person's name with the id after it; the id alone where there is no other name.
export const called = (name, id) => (name && name !== id ? t("person", { name, id }) : id);
