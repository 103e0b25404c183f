// The signed-in user as this browser stores it, without the parts needed for signing in.

const place = "tintype.session";

// { user: { uid, name, email, picture }, refreshToken }, or null.
export function kept() {
  try {
    const stored = JSON.parse(localStorage.getItem(place));
    return stored?.user?.uid && stored.refreshToken ? stored : null;
  } catch {
    return null;
  }
}

export const keptUser = () => kept()?.user ?? null;

export function keep(stored) {
  if (stored) localStorage.setItem(place, JSON.stringify(stored)); else localStorage.removeItem(place);
}

// Calls back when another tab has signed in or out.
export function onKept(run) {
  addEventListener("storage", ({ key }) => { if (key === place) run(); });
}
