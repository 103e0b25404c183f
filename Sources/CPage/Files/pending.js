// The operations that the service does not have yet, as this browser stores them: see outbox.js.

const place = "tintype.outbox";

export function pendingOperations() {
  try {
    return JSON.parse(localStorage.getItem(place)) ?? [];
  } catch {
    return [];
  }
}

export function keepPending(operations) {
  if (operations.length > 0) localStorage.setItem(place, JSON.stringify(operations)); else localStorage.removeItem(place);
}
