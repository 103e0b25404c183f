// The modules of the gallery come in few files, as a slow network takes seconds for each. Here they are by their names:
// { imports, run }, and once one has run, the promise of what it exports.

const modules = new Map();
const running = new Map();

// `run` is the text of a module: a function of what its imports export, to what it exports.
export function defineModule(name, imports, run) {
  modules.set(name, { imports, run });
}

// What a module exports. What could not be fetched is asked for again the next time.
export function loadModule(path) {
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
    // Each file rests on those before it; the last one has all that the others have not.
    const count = 1 + laterFiles.findIndex(({ names }) => !names || names.includes(name));
    await Promise.all(laterFiles.slice(0, count).map(({ file }) => import(file)));
  }
  const { imports, run } = modules.get(name);
  return run(...await Promise.all(imports.map(loadModule)));
}
