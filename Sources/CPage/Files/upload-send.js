// The requests for one photo and for one post. Photos are sent by tus 1.0.0 (tus.io) to a draft; each step can be
// repeated after any interruption, because its idempotency key and its response are stored before the next one.

import { api, apiJSON } from "./http.js";
import { Problem } from "./problem.js";
import { session } from "./session.js";
import { t } from "./texts.js";

const tus = { "Tus-Resumable": "1.0.0" };
// The largest body of a request, in bytes, so that proxies with a limit accept it and progress is reported often.
const pieceSize = 8 << 20;
// The time without progress after which a request is sent again, in milliseconds; the last one waits until the photo is
// rendered.
const patience = 60000;

// The service no longer has the draft, or the photo: it has to be begun again. `draft` is the id of the draft.
export class Gone extends Error {
  code = "not_found";

  constructor(what, draft = null) {
    super(t("upload.reason.gone"));
    Object.assign(this, { what, draft });
  }
}

const isGone = ({ status, code }) => status === 404 || status === 410 || code === "bytes_lost";

// MARK: A draft

// Reserves the draft of a post; returns its id.
export async function beginDraft(post) {
  const audiences = post.audience ? `&audiences=${encodeURIComponent(post.audience)}` : "";
  const { upload_id: id, state } = await apiJSON(`/v1/uploads?draft=true${audiences}`, {
    method: "POST", headers: { "Idempotency-Key": `${post.id}.${post.round}` },
  });
  if (state === "expired") throw new Gone("draft");
  return id;
}

// Publishes a draft with its photos, in their order; repeating it does no harm.
export async function publish(post, files) {
  const json = { text: post.text, photos: files.map(({ number }) => number), alt: files.map(({ alt }) => alt) };
  if (post.mentions?.length > 0) json.mentions = post.mentions;
  try {
    await api(`/v1/uploads/${post.draft}/publish`, { method: "POST", json });
  } catch (problem) {
    if (isGone(problem) && problem.code !== "deleted") throw new Gone("draft", post.draft);
    if (problem.code !== "wrong_state") throw problem;
    // The response was lost, or the draft has expired.
    const { state } = await apiJSON(`/v1/uploads/${post.draft}`);
    if (state === "expired") throw new Gone("draft", post.draft);
    if (state !== "published" && state !== "ingested") throw problem;
  }
}

// MARK: A photo

const base64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

async function beginPhoto(draft, file) {
  try {
    const answer = await api(`/v1/uploads/${draft}/photos`, {
      method: "POST",
      headers: {
        ...tus, "Upload-Length": String(file.size), "Upload-Metadata": `filename ${base64(file.name.slice(0, 200))}`,
        "Idempotency-Key": `${file.id}.${file.round}`,
      },
    });
    return { location: new URL(answer.headers.get("Location"), location.href).pathname, offset: Number(answer.headers.get("Upload-Offset")) };
  } catch (problem) {
    if (isGone(problem)) throw new Gone("draft", draft);
    if (problem.code !== "wrong_state") throw problem;
    const { state } = await apiJSON(`/v1/uploads/${draft}`);
    if (state === "expired") throw new Gone("draft", draft);
    throw problem;
  }
}

// The offset of a photo at the service; throws the reason, if it was refused.
async function offsetOf(path) {
  try {
    return Number((await api(path, { method: "HEAD", headers: tus })).headers.get("Upload-Offset"));
  } catch (problem) {
    if (isGone(problem)) throw new Gone("photo");
    if (problem.isPassing || problem.status === 401) throw problem;
    throw await refusal(path) ?? problem;
  }
}

// The reason why a photo was refused, which a response to HEAD cannot contain.
async function refusal(path) {
  const { error } = await apiJSON(path);
  if (!error) return null;
  if (isGone(error)) throw new Gone("photo");
  return new Problem({ status: 422, code: error.code, detail: error.message, hint: error.hint });
}

// Sends the missing bytes of a photo. `keep` receives its address before the first byte is sent; `show` receives the
// progress.
// Returns the photo's number in the draft.
export async function sendPhoto(draft, file, blob, { keep, show, signal }) {
  let { location: path } = file, offset;
  if (path) {
    offset = await offsetOf(path);
  } else {
    ({ location: path, offset } = await beginPhoto(draft, file));
    await keep({ location: path });
  }
  let corrections = 0;
  while (offset < file.size) {
    show(offset);
    const answer = await patch(path, blob, offset, show, signal);
    if (answer.status === 409 && answer.code === "wrong_offset" && corrections < 3) corrections += 1;
    else if (answer.status !== 204) throw await problemOf(answer, blob);
    offset = answer.offset;
  }
  const photo = await apiJSON(path);
  if (photo.state !== "published") throw await refusal(path) ?? new Problem({ status: 503, code: photo.state, detail: t("problem.offline") });
  return photo.number;
}

async function problemOf({ status, code, detail, hint, retryAfter }, blob) {
  if (isGone({ status, code })) return new Gone("photo");
  if (status === 0) {
    try {
      await blob.slice(0, 1).arrayBuffer();
    } catch {
      return new Problem({ status: 400, code: "unreadable", detail: t("upload.reason.unreadable") });
    }
  }
  return new Problem({ status, code, detail: detail ?? t("problem.offline"), hint, retryAfter });
}

// Sends a piece, with XMLHttpRequest, because fetch does not report progress.
async function patch(path, blob, offset, show, signal) {
  const token = await session.token();
  const piece = blob.slice(offset, offset + pieceSize);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let timer;
    const wait = (time) => {
      clearTimeout(timer);
      timer = setTimeout(() => request.abort(), time);
    };
    request.open("PATCH", path);
    const headers = { ...tus, "Upload-Offset": String(offset), "Content-Type": "application/offset+octet-stream" };
    if (token) headers.Authorization = `Bearer ${token}`;
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    const stop = () => request.abort();
    request.upload.addEventListener("progress", ({ loaded }) => {
      show(offset + loaded);
      wait(loaded < piece.size ? patience : 5 * patience);
    });
    request.addEventListener("loadend", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      if (signal.aborted) return reject(signal.reason);
      let problem = {};
      try { problem = JSON.parse(request.responseText || "{}"); } catch { /* A proxy's page. */ }
      resolve({
        status: request.status, code: problem.code ?? (request.status === 0 ? "offline" : "unknown"), detail: problem.detail,
        hint: problem.hint ?? "", offset: Number(request.getResponseHeader("Upload-Offset")),
        retryAfter: Number(request.getResponseHeader("Retry-After")) || null,
      });
    });
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", stop);
    wait(patience);
    request.send(piece);
  });
}

// Cancels a photo; if that fails, the photo expires by itself.
export function endPhoto(path) {
  api(path, { method: "DELETE", headers: tus }).catch(() => {});
}

// The smallest rendition of a photo with at least this width, from the draft's document; null if there is none.
export async function renditionOf(post, file, width) {
  const { photos } = await apiJSON(`/v1/uploads/${post.draft}`);
  const photo = photos?.find(({ number }) => number === file.number);
  const all = Object.values(photo?.renditions ?? {}).sort((a, b) => a.width - b.width);
  const whole = all.filter((one) => Math.abs(one.width / one.height - photo.width / photo.height) < 0.05);
  const choice = whole.length > 0 ? whole : all;
  return (choice.find((one) => one.width >= width) ?? choice.at(-1))?.url ?? null;
}
