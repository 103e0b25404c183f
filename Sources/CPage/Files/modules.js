// The modules of the gallery are in few files, because a slow network needs seconds for each. This maps their names to
// { imports, run }, and once one has run, to the promise of its exports.

const modules = new Map();
const running = new Map();

// Defines a module. `run` is its text: a function from the exports of its imports to its own exports.
function defineModule(name, imports, run) {
  modules.set(name, { imports, run });
}

// Returns the exports of a module. A file that could not be fetched is requested again the next time.
function loadModule(path) {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (!running.has(name)) {
    const promise = run(name);
    running.set(name, promise);
    promise.catch(() => running.delete(name));
  }
  return running.get(name);
}

async function run(name) {
  if (!modules.has(name)) {
    // Each file depends on those before it; the last one contains all other modules.
    const count = 1 + laterFiles.findIndex(({ names }) => !names || names.includes(name));
    await Promise.all(laterFiles.slice(0, count).map(async ({ file }) => (await import(file)).default(defineModule, loadModule)));
  }
  const { imports, run } = modules.get(name);
  return run(...await Promise.all(imports.map(loadModule)));
}
