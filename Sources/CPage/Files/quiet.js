// The time when the reader waits for nothing, in which a slow network may load what is needed later.

const patience = 5000;

// Resolves once the photos on the screen have come, or after a while.
export const quiet = () => Promise.race([photos(), new Promise((resolve) => { setTimeout(resolve, patience); })]);

async function photos() {
  // Photos are requested after the frame that shows them.
  await new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); });
  const coming = [...document.querySelectorAll("#main img")].filter((image) => !image.complete && isOnScreen(image));
  await Promise.all(coming.map((image) => new Promise((resolve) => {
    for (const name of ["load", "error"]) image.addEventListener(name, resolve, { once: true });
  })));
}

function isOnScreen(image) {
  const { top, bottom } = image.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}
