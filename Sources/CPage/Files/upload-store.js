// The posts and photos of the upload queue, stored in this browser: they survive reloads, and crashes of the tab.

const kinds = ["posts", "files", "blobs"];

function opened() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("tintype.uploads", 1);
    request.onupgradeneeded = () => { for (const kind of kinds) request.result.createObjectStore(kind); };
    request.onsuccess = () => {
      // Does not block another tab that deletes the database, or opens a later version.
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("blocked"));
  });
}

// The database; null if the browser stores nothing, as some do in private windows: then uploads end with the page.
const database = "indexedDB" in globalThis ? opened().catch(() => null) : Promise.resolve(null);

// Runs `act` with the object stores in one transaction; resolves with its result when the transaction is durable.
async function transaction(names, mode, act) {
  const base = await database;
  if (!base) return undefined;
  return new Promise((resolve, reject) => {
    const work = base.transaction(names, mode, { durability: "strict" });
    const result = act(...names.map((name) => work.objectStore(name)));
    work.oncomplete = () => resolve(result?.result);
    work.onabort = () => reject(work.error);
  });
}

export const isDurable = async () => (await database) !== null;

// Reads all posts and files, in one consistent state.
export async function readAll() {
  let posts, files;
  await transaction(["posts", "files"], "readonly", (postStore, fileStore) => {
    posts = postStore.getAll();
    files = fileStore.getAll();
  });
  return { posts: posts?.result ?? [], files: files?.result ?? [] };
}

// Stores a post with its files at once, or nothing; throws if there is no space.
export async function keep(posts, files, blobs) {
  await transaction(kinds, "readwrite", (postStore, fileStore, blobStore) => {
    for (const post of posts) postStore.put(post, post.id);
    for (const file of files) {
      fileStore.put(file, file.id);
      if (blobs.has(file.id)) blobStore.put(blobs.get(file.id), file.id);
    }
  });
}

// Changes some fields of records, of all or none; deleted records stay deleted. Other tabs may change other fields.
export async function change(kind, ids, fields) {
  await transaction([kind], "readwrite", (store) => {
    for (const id of ids) {
      const request = store.get(id);
      request.onsuccess = () => { if (request.result) store.put({ ...request.result, ...fields }, id); };
    }
  });
}

export async function remove(posts, files) {
  await transaction(kinds, "readwrite", (postStore, fileStore, blobStore) => {
    for (const id of posts) postStore.delete(id);
    for (const id of files) {
      fileStore.delete(id);
      blobStore.delete(id);
    }
  });
}

export const blobOf = (id) => transaction(["blobs"], "readonly", (blobs) => blobs.get(id));
