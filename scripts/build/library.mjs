/**
 * Writes the library into dist: the entries and the few files that they share, as CommonJS (`.js`) and as ES modules (`.mjs`), with
 * maps to the sources. Hundreds of small files would take most of the time that `import 'headwater'` takes.
 *
 * In these files are the project and packages of which an application needs no copy of its own: fp-ts and io-ts, which Node.js
 * does not find from ES modules, and parsers. undici, rxjs and winston stay outside: an application shares them with us.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { esmExternalRequirePlugin } from 'rolldown/plugins';
import { ENTRIES, stemOf } from './entries.mjs';
import { licenses } from './licenses.mjs';
import { readPackage } from './package-json.mjs';
import { withoutEffects } from './without-effects.mjs';

/** Dependencies that are in the files all the same. ES modules cannot wait with loading what they need at once. */
const INSIDE = {
  cjs: new Set(['fp-ts', 'io-ts']),
  esm: new Set(['fp-ts', 'io-ts', 'graphql', 'json-p3', 're2js']),
};
const UNDICI = fileURLToPath(new URL('undici.mjs', import.meta.url));
const BUILT_IN = builtinModules.flatMap((name) => [name, `node:${name}`]);

export async function writeLibrary(root) {
  const modules = [];
  for (const format of ['cjs', 'esm']) modules.push(...(await writeFormat(root, format)));
  await writeWorkflow(root);
  writeFileSync(join(root, 'dist', 'licenses.txt'), licenses([...new Set(modules)]));
}

/** The workflow is a file that the sandbox of Temporal can load: it has nothing of Node.js, and nothing of another file. */
async function writeWorkflow(root) {
  const bundle = await rolldown({
    input: join(root, 'src', 'cluster', 'workflow.ts'),
    external: ['@temporalio/workflow'],
    checks: { pluginTimings: false },
  });
  await bundle.write({ file: join(root, 'dist', 'cluster', 'workflow.js'), format: 'cjs' });
  await bundle.close();
}

async function writeFormat(root, format) {
  const sources = join(root, 'src');
  const { dependencies, optionalDependencies, peerDependencies } = readPackage(root);
  const outside = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).filter(
    (name) => !INSIDE[format].has(name),
  );
  const bundle = await rolldown({
    input: Object.fromEntries(Object.values(ENTRIES).map((source) => [stemOf(source), join(root, source)])),
    platform: 'node',
    checks: { pluginTimings: false },
    external: outside.map((name) => new RegExp(name === 'undici' ? '^undici/' : `^${name}(/|$)`)),
    resolve: { mainFields: ['module', 'main'], alias: { 'fp-ts/lib': 'fp-ts/es6' } },
    transform: { target: 'node20' },
    // Modules of the project only define.
    treeshake: { moduleSideEffects: (id) => (id.startsWith(sources) ? false : undefined) },
    plugins: [
      { name: 'smaller', resolveId: (id) => (id === 'undici' ? UNDICI : undefined) },
      ...(format === 'esm'
        ? [forModules(sources), esmExternalRequirePlugin({ external: BUILT_IN }), withoutEffects]
        : []),
    ],
  });
  const ending = format === 'esm' ? 'mjs' : 'js';
  const { output } = await bundle.write({
    dir: join(root, 'dist'),
    format,
    entryFileNames: `[name].${ending}`,
    chunkFileNames: `shared/[name].${ending}`,
    polyfillRequire: false,
    comments: { legal: false, annotation: true, jsdoc: false },
    // Names of functions stay, as stacks have them; to compress would take the marks away that bundlers leave things out by.
    // Lines stay as they are: Node.js prints the line of an error that nobody catches.
    minify: { compress: false, mangle: { keepNames: true }, codegen: { removeWhitespace: false } },
    sourcemap: true,
  });
  await bundle.close();
  for (const { fileName, type } of output) if (type === 'asset' && fileName.endsWith('.map')) trimMap(root, fileName);
  return output.flatMap((chunk) => Object.keys(chunk.modules ?? {}));
}

/**
 * An ES module has no `require`. webpack finds a package by the first of these calls, esbuild and rolldown by the second, which is
 * never reached where nothing was bundled and the package is there.
 */
const requiring = (name) => `
  import { createRequire } from 'node:module';
  export const ${name} = () => {
    try {
      return createRequire(import.meta.url)('${name}');
    } catch (cause) {
      try {
        return require('${name}');
      } catch {
        throw cause;
      }
    }
  };`;

/**
 * An ES module knows itself by its URL. In a bundle of CommonJS there is no such URL, or that of a file of the machine that made the
 * bundle; what Node.js calls a program of its command line, such as `[eval]`, is no file.
 */
const OWN_PATH = "(typeof __filename === 'string' && !__filename.startsWith('[') ? __filename : import.meta.url)";

const forModules = (sources) => ({
  name: 'for-es-modules',
  load: (id) => (id === join(sources, 'run', 'log', 'winston.ts') ? requiring('winston') : undefined),
  transform: (code, id) =>
    id.startsWith(sources) && code.includes('__filename')
      ? { code: code.replaceAll('__filename', OWN_PATH), map: null }
      : undefined,
});

/** Our sources lie beside dist, so that maps need not repeat them; those of packages may be anywhere. */
function trimMap(root, fileName) {
  const path = join(root, 'dist', fileName);
  const map = JSON.parse(readFileSync(path, 'utf8'));
  const isThere = (source) => !source.includes('node_modules/') && existsSync(join(path, '..', source));
  const sourcesContent = map.sources.map((source, at) => (isThere(source) ? null : map.sourcesContent[at]));
  writeFileSync(path, JSON.stringify({ ...map, sourcesContent }));
}
