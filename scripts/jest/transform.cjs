const { createHash } = require('node:crypto');
const { join, sep } = require('node:path');
const { createTransformer } = require('@swc/jest');

const SRC = join(__dirname, '..', '..', 'src') + sep;
const isShared = (path) => path.startsWith(SRC) || path.includes(`${sep}node_modules${sep}`);
const LOAD = join(__dirname, 'load.cjs');

/** What jest compiles: specs by SWC, and for a module of src or of a package a line that has load.cjs run it. */
module.exports = {
  createTransformer(options) {
    const swc = createTransformer(options);
    const codeOf = (path) => `module.exports = require(${JSON.stringify(LOAD)})(${JSON.stringify(path)});`;
    return {
      ...swc,
      process: (text, path, settings) => (isShared(path) ? { code: codeOf(path) } : swc.process(text, path, settings)),
      getCacheKey: (text, path, settings) =>
        isShared(path) ? createHash('sha1').update(codeOf(path)).digest('hex') : swc.getCacheKey(text, path, settings),
    };
  },
};
