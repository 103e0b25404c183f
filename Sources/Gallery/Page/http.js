// Requests to the service.

import { Problem } from "./problem.js";
import { t } from "./texts.js";
import { keptUser } from "./who.js";

// Asks the service, as whoever has signed in; throws a Problem unless it answers with success.
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

// The document that the service answers with; throws a Problem also where the answer is cut off.
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
