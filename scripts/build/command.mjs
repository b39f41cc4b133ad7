/**
 * Writes the command into dist/cli: main.js, which reads the command line, and a few files beside it, of which each subcommand
 * loads what it needs. Its first request leaves in less than half the time that the 700 files of the project and of its packages
 * take: docs/performance.md has the figures.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { licenses } from './licenses.mjs';
import { readPackage } from './package-json.mjs';

export async function writeCommand(root) {
  const folder = join(root, 'dist', 'cli');
  const sources = join(root, 'src');
  const start = join(sources, 'cli', 'main.ts');
  const queries = join(sources, 'studio', 'query-process.ts');

  /** Builds from which the unused can be left out. */
  const replaced = new Map([
    ['undici', join(root, 'scripts', 'build', 'undici.mjs')],
    ['node:http2', join(root, 'scripts', 'build', 'http2.cjs')],
    ['rxjs', join(createRequire(import.meta.url).resolve('rxjs'), '..', '..', 'esm', 'index.js')],
  ]);

  const bundle = await rolldown({
    input: { main: start, command: join(sources, 'cli', 'command.ts'), 'query-process': queries },
    platform: 'node',
    checks: { pluginTimings: false },
    // No other file requires main.js, which would start the command again under another name of it.
    preserveEntrySignatures: 'strict',
    // Loaded by the few runs that need it.
    external: ['graphql', 'graphql/language', 'json-p3', 're2js', ...optionalPackages(root)],
    resolve: { mainFields: ['module', 'main'], alias: { 'fp-ts/lib': 'fp-ts/es6' } },
    // Without the colours in which winston's packages would write debug messages of their own.
    transform: { target: 'node20', define: { 'process.env.NODE_ENV': '"production"' } },
    // Who imports a name of src/index.ts needs the module that has it, and no other: all but the two programs only define.
    treeshake: {
      moduleSideEffects: (id) => (id.startsWith(sources) && id !== start && id !== queries ? false : undefined),
    },
    // A module of a package is compiled when it is first used, if ever.
    optimization: { pifeForModuleWrappers: false },
    plugins: [{ name: 'smaller', resolveId: (id) => replaced.get(id) }],
  });
  const { output } = await bundle.generate({
    format: 'cjs',
    chunkFileNames: '[name].js',
    // Node.js alone can load what imports files of others (src/cli/code-cache.ts): it has a file of its own.
    codeSplitting: {
      groups: [{ name: 'import-file', test: join(sources, 'core', 'import-file.ts') }],
    },
    comments: false,
    // The names of functions stay: a defect is reported with its stack.
    minify: {
      compress: { keepNames: { function: true, class: true } },
      mangle: { keepNames: true },
      codegen: { removeWhitespace: true },
    },
  });
  await bundle.close();
  mkdirSync(folder, { recursive: true });
  for (const { fileName, code } of output) writeFileSync(join(folder, fileName), inAscii(code));
  writeFileSync(join(folder, 'licenses.txt'), licenses(output.flatMap(({ modules }) => Object.keys(modules ?? {}))));
}

/** In ASCII a file is read ten times as fast, and takes half of the memory. Texts, patterns and names all have these escapes. */
const inAscii = (code) =>
  code.replaceAll(/[^\0-\x7f]/g, (half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Packages that need not be there: whoever needs one installs it, or leaves it out. */
export function optionalPackages(root) {
  const { optionalDependencies, peerDependenciesMeta } = readPackage(root);
  return Object.keys({ ...optionalDependencies, ...peerDependenciesMeta });
}
