// Creates a unique name. `crypto.randomUUID` exists in secure contexts only, and a page may be read over plain HTTP.
export function newID() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
