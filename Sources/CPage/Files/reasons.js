// The reasons for refusals of the service, in the reader's language if it is supported.

import { t } from "./texts.js";

export function reasonOf({ code, message }) {
  const key = `reason.${code}`;
  const words = t(key);
  return words === key ? message : words;
}
