// The followers of a person, and the people that a person follows.

import { openDialog } from "./dialogs.js";
import { peopleList } from "./people.js";
import { t } from "./texts.js";

// `kind` is "followers" or "following".
export function showPeople(uid, kind) {
  const { element } = peopleList(`/v1/people/${encodeURIComponent(uid)}/${kind}`, t(`people.${kind}None`));
  const dialog = openDialog(t(`people.${kind}Title`), element, { name: "people", isLight: true });
  // Following a link closes the dialog.
  element.addEventListener("click", (event) => { if (event.target.closest("a")) dialog.close(); });
}
