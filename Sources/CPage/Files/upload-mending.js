// What a user does about photos and posts that could not be sent.

import { h } from "./dom.js";
import { toast } from "./shell.js";
import { checked, photoTypes } from "./upload-check.js";
import { mayPass } from "./upload-problems.js";
import { newFile } from "./upload-records.js";
import { uploads } from "./upload.js";

// Tries a failed photo or post again.
export async function retry(id) {
  const file = uploads.file(id);
  if (file?.state === "failed") {
    await uploads.change("files", id, { state: "waiting", problem: null, location: null, round: file.round + 1, rounds: 0 });
  }
  if (uploads.post(id)?.state === "failed") await uploads.change("posts", id, { state: "ready", problem: null });
  uploads.look();
}

// Tries everything again that may succeed now.
export async function retryAll() {
  const records = uploads.posts.flatMap((post) => [post, ...uploads.filesOf(post)]);
  for (const { id, state, problem } of records) if (state === "failed" && mayPass(problem)) await retry(id);
}

// Asks for another file in place of a photo; it has the same position and description.
export function chooseAnother(id) {
  h("input", { type: "file", accept: photoTypes, onchange: ({ target }) => replace(id, [...target.files]) }).click();
}

async function replace(id, files) {
  const { accepted: [chosen], refused } = await checked(files);
  for (const { name, reason } of refused) toast(`${name} – ${reason}`, { isProblem: true });
  const before = uploads.file(id), post = uploads.post(before?.post);
  if (!chosen || !post) return;
  const file = { ...newFile(post.id, chosen), alt: before.alt };
  const order = post.order.map((other) => (other === id ? file.id : other));
  await uploads.begin([{ ...post, order }], [file], new Map([[file.id, chosen]]));
  await uploads.forget([], [id]);
}

// Opens a post again that could not be published, so that it can be changed.
export async function writeAgain(id) {
  const post = uploads.post(id);
  if (!post) return;
  await uploads.change("posts", id, { state: "writing", problem: null });
  await (await import("./composer.js")).compose([], { group: post.group });
}
