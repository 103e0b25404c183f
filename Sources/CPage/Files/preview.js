// Small pictures of photos that are not posted yet: decoded by the browser, else rendered by the service.

import { api } from "./http.js";
import { renditionOf } from "./upload-send.js";
import { uploads } from "./upload.js";

const width = 480;
// Decoding needs memory: two photos at a time.
const free = [null, null];
const waiting = [];

async function inTurn(act) {
  if (free.length === 0) await new Promise((resolve) => waiting.push(resolve));
  else free.pop();
  try {
    return await act();
  } finally {
    if (waiting.length > 0) waiting.shift()(); else free.push(null);
  }
}

async function draw(canvas, blob) {
  // Only the width is given: the height follows. A small picture may be enlarged, which does no harm.
  const picture = await createImageBitmap(blob, { resizeWidth: width, resizeQuality: "medium" });
  [canvas.width, canvas.height] = [picture.width, picture.height];
  canvas.getContext("2d").drawImage(picture, 0, 0);
  picture.close();
}

// Draws a photo; returns "drawn", "later" if only the service can decode it and does not have it yet, or "none".
export async function preview(canvas, id) {
  return inTurn(async () => {
    const blob = await uploads.blobOf(id);
    try {
      await draw(canvas, blob);
      return "drawn";
    } catch { /* A format that this browser does not support, or a damaged file. */ }
    const file = uploads.file(id), post = file && uploads.post(file.post);
    if (!post || file.state === "failed") return "none";
    if (file.state !== "done") return "later";
    try {
      const url = await renditionOf(post, file, width);
      // With the token: photos of a draft may only be visible to their sender.
      const { pathname, search } = new URL(url, location.href);
      await draw(canvas, await (await api(pathname + search)).blob());
      return "drawn";
    } catch {
      return "none";
    }
  });
}
