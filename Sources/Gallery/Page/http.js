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
