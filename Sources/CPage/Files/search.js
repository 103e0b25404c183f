// Search: the part that the first page needs. The rest is loaded when the user searches.

export const searchView = async (...all) => (await import("./search-view.js")).searchView(...all);

// Adds suggestions of people and hashtags to a search field, once it has the focus.
export function suggestIn(input) {
  const begin = async () => {
    input.removeEventListener("focus", begin);
    (await import("./suggest.js")).suggestIn(input);
  };
  input?.addEventListener("focus", begin);
  if (input && document.activeElement === input) begin();
}
