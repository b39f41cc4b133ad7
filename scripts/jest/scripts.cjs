const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');
const { transformSync, version } = require('@swc/core');

const CACHE = join(__dirname, '..', '..', 'node_modules', '.cache', 'headwater-specs');

/** Scripts of this process, by the paths of their files. */
const scripts = new Map();
/** Files of modules, by their paths as other modules write them. */
const files = new Map();

/** The code is kept in a file of the cache: it saves the compiler's time, and a stack trace finds its source map there. */
function compile(path, options) {
  const text = readFileSync(path, 'utf8');
  const hash = createHash('sha1')
    .update(JSON.stringify([version, options, path, text]))
    .digest('hex');
  const filename = join(CACHE, `${hash}.js`);
  if (!existsSync(filename)) {
    const settings = { ...options, module: { type: 'commonjs' }, sourceMaps: 'inline', filename: path };
    const code = transformSync(text, settings).code.replace(/^#!/, '//');
    mkdirSync(CACHE, { recursive: true });
    // Another process may compile the same file: none reads a part of it.
    const part = `${filename}.${process.pid}`;
    writeFileSync(part, `(function (module, exports, require, __filename, __dirname) {${code}\n})`);
    renameSync(part, filename);
  }
  return new Script(readFileSync(filename, 'utf8'), { filename });
}

/**
 * A module of TypeScript as a script, whose value is a function of what CommonJS gives a module. A file that was changed in the
 * meantime, as `jest --watch` may see it, is compiled again.
 *
 * @param path the absolute path of its file
 * @param options of SWC
 */
function scriptOf(path, options) {
  const { mtimeMs, size } = statSync(path);
  const known = scripts.get(path);
  if (known?.mtimeMs === mtimeMs && known.size === size) return known.script;
  const script = compile(path, options);
  scripts.set(path, { mtimeMs, size, script });
  return script;
}

/** The file of the module of TypeScript that an import names, by an absolute path; undefined where there is none. */
function fileOf(path) {
  if (!files.has(path)) {
    const file = [`${path}.ts`, path.replace(/\.js$/, '.ts'), join(path, 'index.ts')].find(
      (each) => each !== path && existsSync(each),
    );
    if (file === undefined) return undefined;
    files.set(path, file);
  }
  return files.get(path);
}

module.exports = { scriptOf, fileOf };
