// Requests to the service.

import { Problem } from "./problem.js";
import { t } from "./texts.js";
import { keptUser } from "./who.js";

// Sends a request to the service, as the signed-in user; throws a Problem unless it succeeds.
export async function api(path, { method = "GET", json, body, headers = {}, signal, anonymous = false } = {}) {
  const fields = new Headers(headers);
  if (json !== undefined) {
    body = JSON.stringify(json);
    fields.set("Content-Type", "application/json");
  }
  const token = anonymous || !keptUser() ? null : await (await import("./session.js")).session.token();
  if (token) fields.set("Authorization", `Bearer ${token}`);
  let response;
  try {
    response = await fetch(path, { method, body, headers: fields, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ detail: t("problem.offline") });
  }
  if (response.ok) return response;
  throw await problemOf(response);
}

// Reads the document in the response of the service; throws a Problem also if the response is cut off.
export async function apiJSON(path, options) {
  const response = await api(path, options);
  try {
    return await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ detail: t("problem.offline") });
  }
}

// The pictures that have been read for the signed-in user: promises of addresses, by the service's own.
const pictures = new Map();

// Returns an address at which the page can show a picture of the service that the user may fetch: a browser's own requests
// for pictures carry no token.
export function pictureOf(address) {
  const { href, origin } = new URL(address, location.href);
  const key = `${keptUser()?.uid} ${href}`;
  if (origin !== location.origin) return Promise.reject(new TypeError("the picture is at another address"));
  if (!pictures.has(key)) {
    const picture = api(href).then((response) => response.blob()).then((blob) => URL.createObjectURL(blob));
    picture.catch(() => pictures.delete(key));
    pictures.set(key, picture);
  }
  return pictures.get(key);
}

async function problemOf(response) {
  const document = await response.json().catch(() => ({}));
  return new Problem({
    status: response.status,
    code: document.code ?? "unknown",
    detail: document.detail ?? (typeof document.error === "string" ? document.error : t("problem.unknown", { status: response.status })),
    hint: document.hint ?? "",
    retryAfter: Number(response.headers.get("Retry-After")) || null,
  });
}
