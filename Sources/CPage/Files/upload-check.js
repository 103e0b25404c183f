// The checks of a file before it is sent: whether it may be a photo, and whether it is too large.

import { t } from "./texts.js";

const endings = /\.(jpe?g|png|gif|webp|hei[cf]s?|avif)$/i;
// The files that dialogs for choosing photos offer.
export const photoTypes = "image/*,.heic,.heif,.avif";
// The time that photos wait for the limit, in milliseconds: the service refuses what is too large, too, but later.
const patience = 1000;
let limit = null;

// The largest size of a photo, in bytes; without an answer from the service any size is accepted.
async function maxBytes() {
  if (limit === null) {
    const answer = await fetch("/v1/uploads", { method: "OPTIONS", signal: AbortSignal.timeout(patience) }).catch(() => null);
    limit = Number(answer?.headers.get("Tus-Max-Size")) || null;
  }
  return limit ?? Infinity;
}

const megabytes = (bytes) => new Intl.NumberFormat(document.documentElement.lang || "en", { maximumFractionDigits: 0 }).format(bytes / 1048576);

// Splits files into those that can be sent and those that are refused: { accepted: [File], refused: [{ name, reason }]
// }.
export async function checked(files) {
  const most = await maxBytes();
  const accepted = [], refused = [];
  for (const file of files) {
    const reason = file.size === 0 ? t("upload.reason.empty")
      : !endings.test(file.name) && (!file.type.startsWith("image/") || file.type === "image/svg+xml") ? t("upload.reason.noImage")
      : file.size > most ? t("upload.reason.tooLarge", { limit: megabytes(most) })
      : null;
    if (reason) refused.push({ name: file.name, reason }); else accepted.push(file);
  }
  return { accepted, refused };
}

// The reason why a photo or a post cannot be published, in the reader's language if there is a text for its code.
export function reasonOf({ code, detail, hint }) {
  const key = [`upload.reason.${code}`, `reason.${code}`].find((key) => t(key) !== key);
  return key ? { reason: t(key), hint: "" } : { reason: detail, hint };
}
