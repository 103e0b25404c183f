// The initial records of the upload queue. The comment on Uploads in upload.js describes their fields.

import { newID } from "./ids.js";
import { isUnfit, mayPass } from "./upload-problems.js";

// A post that is being written: number `index` of those that were begun at the same time. `audience` is the id of the
// audience that sees it, or empty.
export function newPost({ group, uid, at, index, audience }) {
  return {
    id: newID(), group, uid, at, index, audience, draft: null, draftRound: 0, round: 0, text: "", mentions: [], order: [], state: "writing", problem: null,
  };
}

// A photo of a post, before it is sent.
export function newFile(post, { name, size, type }) {
  return {
    id: newID(), post, name, size, type, alt: "", round: 0, location: null, number: null, state: "waiting", problem: null,
  };
}

// The posts and files of a group after its photos are put into one post (`together`), or into one each: { kept, moved,
// gone }.
// `fileOf` returns the file with an id. Moved files are sent again, to another draft.
export function regrouped(posts, fileOf, together) {
  const ids = posts.flatMap((post) => post.order);
  const [first] = posts;
  if (!first || ids.length < 2) return null;
  const another = (index) => ({ ...newPost({ ...first, index }), text: first.text, mentions: first.mentions });
  const targets = ids.map((id, index) => (together || index === 0 ? first : another(index)));
  const moved = ids.map((id, index) => ({ ...fileOf(id), target: targets[index].id }))
    .filter(({ post, target }) => post !== target)
    .map(({ target, ...file }) => ({ ...(mayPass(file.problem) ? sentAgain(file) : file), post: target }));
  const kept = together ? [{ ...first, order: ids }] : targets.map((post, index) => ({ ...post, order: [ids[index]] }));
  const gone = posts.map(({ id }) => id).filter((id) => !kept.some((post) => post.id === id));
  return { kept, moved, gone };
}

// The posts of a group after another choice of their audience, in the form of `regrouped`; null if nothing changes. A draft
// belongs to one audience, so that all photos are sent again, also those that the earlier audience was not for.
export function readdressed(posts, fileOf, audience) {
  const kept = posts.filter((post) => (post.audience ?? "") !== audience)
    .map((post) => ({ ...post, audience, draft: null, round: post.round + 1 }));
  const moved = kept.flatMap(({ order }) => order.map(fileOf)).filter((file) => file && !isUnfit(file.problem)).map(sentAgain);
  return kept.length > 0 ? { kept, moved, gone: [] } : null;
}

// A file before it is sent again, to another draft.
function sentAgain(file) {
  return { ...file, round: file.round + 1, rounds: 0, location: null, number: null, state: "waiting", problem: null };
}
