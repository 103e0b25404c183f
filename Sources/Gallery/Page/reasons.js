// Why the service refused something, in the reader's language where it is known.

import { t } from "./texts.js";

export function reasonOf({ code, message }) {
  const key = `reason.${code}`;
  const words = t(key);
  return words === key ? message : words;
}
