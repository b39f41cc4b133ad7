/** Runs modules of src in the environment of a spec, each once: what `require` of CommonJS does, for the scripts of environment.cjs. */
const { dirname, join } = require('node:path');

const { fileOf, functionOf } = globalThis.sourceModules;
const loaded = new Map();

/** @param path the absolute path of a file of src */
function load(path) {
  const known = loaded.get(path);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  // Before it runs: modules may import each other.
  loaded.set(path, module);
  const folder = dirname(path);
  const requireFrom = (name) => {
    if (!name.startsWith('.')) return require(name);
    const file = fileOf(join(folder, name));
    return file === undefined ? require(join(folder, name)) : load(file);
  };
  try {
    functionOf(path).call(module.exports, module, module.exports, requireFrom, path, folder);
  } catch (error) {
    loaded.delete(path);
    throw error;
  }
  return module.exports;
}

module.exports = load;
