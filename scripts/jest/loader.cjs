const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join, sep } = require('node:path');
const { fileURLToPath } = require('node:url');
const { Script } = require('node:vm');
const { transformSync, version } = require('@swc/core');

const CACHE = join(__dirname, '..', '..', 'node_modules', '.cache', 'headwater-specs');

/** Scripts of this process, by the names of their files in the cache. */
const scripts = new Map();
/** Files of modules, by their paths as other modules write them. */
const files = new Map();

const wrapped = (code) => `(function (module, exports, require, __filename, __dirname) {${code}\n})`;

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
    writeFileSync(part, wrapped(code));
    renameSync(part, filename);
  }
  const script = scripts.get(filename) ?? new Script(readFileSync(filename, 'utf8'), { filename });
  scripts.set(filename, script);
  return script;
}

/** How SWC reads the ES modules of packages. */
const ES = { jsc: { target: 'es2022', parser: { syntax: 'ecmascript' } } };

function isEsModule(path) {
  if (!path.endsWith('.js')) return path.endsWith('.mjs');
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest)) return JSON.parse(readFileSync(manifest, 'utf8')).type === 'module';
  }
  return false;
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

/**
 * A function that loads modules into a context, each once: TypeScript of this project, CommonJS of packages, JSON. It does what `require`
 * of Node.js does.
 *
 * @param context of vm
 * @param options of SWC
 * @param packages modules of packages that have been loaded into it
 * @returns a function of the absolute path of a file
 */
function createLoader(context, options, packages = new Map()) {
  const own = new Map();
  const modulesLike = (path) => (path.includes(`${sep}node_modules${sep}`) ? packages : own);
  const parse = new Script('JSON.parse').runInContext(context);
  const { process } = new Script('globalThis').runInContext(context);

  const resolve = (from, name) => {
    const source = name.startsWith('.') ? fileOf(join(dirname(from), name)) : undefined;
    return source ?? Module.createRequire(from).resolve(name);
  };
  const requireFrom = (from) => {
    const required = (name) => {
      // What is required by a function that a module made is loaded here as well.
      if (/^(node:)?module$/.test(name)) return Object.create(Module, { createRequire: { value: requireFrom } });
      if (Module.isBuiltin(name)) return /^(node:)?process$/.test(name) ? process : require(name);
      return load(name.startsWith('file:') ? fileURLToPath(name) : resolve(from, name));
    };
    return Object.assign(required, { resolve: (name) => resolve(from, name), cache: {} });
  };
  const functionOf = (path) => {
    if (path.endsWith('.ts')) return compile(path, options).runInContext(context);
    if (isEsModule(path)) return compile(path, ES).runInContext(context);
    const code = readFileSync(path, 'utf8').replace(/^#!/, '//');
    return new Script(wrapped(code), { filename: path }).runInContext(context);
  };

  function load(path) {
    const loaded = modulesLike(path);
    const known = loaded.get(path);
    if (known !== undefined) return known.exports;
    if (path.endsWith('.node')) return require(path);
    const module = { exports: {}, id: path, filename: path, loaded: false, children: [], paths: [] };
    // Before it runs: modules may import each other.
    loaded.set(path, module);
    try {
      if (path.endsWith('.json')) module.exports = parse(readFileSync(path, 'utf8'));
      else {
        module.require = requireFrom(path);
        functionOf(path).call(module.exports, module, module.exports, module.require, path, dirname(path));
      }
    } catch (error) {
      loaded.delete(path);
      throw error;
    }
    module.loaded = true;
    return module.exports;
  }
  return load;
}

module.exports = { createLoader };
