// Searching: what of it the first page needs. The rest comes when somebody searches.

export const searchView = async (...all) => (await import("./search-view.js")).searchView(...all);

// Has a search field suggest people and hashtags, once somebody is in it.
export function suggestIn(input) {
  const begin = async () => {
    input.removeEventListener("focus", begin);
    (await import("./suggest.js")).suggestIn(input);
  };
  input?.addEventListener("focus", begin);
  if (input && document.activeElement === input) begin();
}
