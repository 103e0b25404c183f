// Where the signed-in user may invite people to.

import { apiJSON } from "./http.js";
import { session } from "./session.js";

let known = null;

// Returns { audiences, isAdmin }: the audiences that the user owns, or all for an admin.
export async function audiencesToInviteTo() {
  const isAdmin = await session.isAdmin();
  const { audiences } = await apiJSON("/v1/audiences?limit=100");
  return { isAdmin, audiences: audiences.filter(({ role }) => role === "owner") };
}

// Whether the user may make any invitation; the answer is kept for the user.
export async function mayInvite() {
  const uid = session.user?.uid;
  if (!uid) return false;
  if (known?.uid !== uid) {
    const { isAdmin, audiences } = await audiencesToInviteTo();
    known = { uid, answer: isAdmin || audiences.length > 0 };
  }
  return known.answer;
}
