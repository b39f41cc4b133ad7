/**
 * Writes the command into dist/cli: main.js, which reads the command line, and a few files beside it, of which each subcommand
 * loads what it needs. Its first request leaves in less than half the time that the 700 files of the project and of its packages
 * take: docs/performance.md has the figures. The library stays as tsc writes it.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'dist', 'cli');
const sources = join(root, 'src');
const start = join(sources, 'cli', 'main.ts');
const { version, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Builds from which the unused can be left out. */
const REPLACED = new Map([
  ['undici', join(root, 'scripts', 'undici.cjs')],
  ['rxjs', join(createRequire(import.meta.url).resolve('rxjs'), '..', '..', 'esm', 'index.js')],
]);

const bundle = await rolldown({
  input: start,
  platform: 'node',
  // No other file requires main.js, which would start the command again under another name of it.
  preserveEntrySignatures: 'strict',
  // Loaded by the few runs that need it.
  external: ['graphql', 'json-p3', 're2js', 'ssh2', 'tough-cookie', ...Object.keys(peerDependencies)],
  resolve: { mainFields: ['module', 'main'], alias: { 'fp-ts/lib': 'fp-ts/es6' } },
  // Without the colours in which winston's packages would write debug messages of their own.
  transform: { target: 'node20', define: { 'process.env.NODE_ENV': '"production"' } },
  // Who imports a name of src/index.ts needs the module that has it, and no other: all but the start only define.
  treeshake: { moduleSideEffects: (id) => (id.startsWith(sources) && id !== start ? false : undefined) },
  // A module of a package is compiled when it is first used, if ever.
  optimization: { pifeForModuleWrappers: false },
  plugins: [
    {
      name: 'headwater',
      resolveId: (id) => REPLACED.get(id),
      // In the library, it reads package.json.
      load: (id) =>
        id === join(sources, 'version.ts') ? `export const version = ${JSON.stringify(version)};` : undefined,
    },
  ],
});
const { output } = await bundle.write({
  dir: folder,
  // tsc has written the command, too.
  cleanDir: true,
  format: 'cjs',
  chunkFileNames: '[name].js',
  comments: false,
  // The names of functions stay: a defect is reported with its stack.
  minify: {
    compress: { keepNames: { function: true, class: true } },
    mangle: { keepNames: true },
    codegen: { removeWhitespace: true },
  },
});
await bundle.close();
writeFileSync(join(folder, 'licenses.txt'), licenses(output.flatMap(({ modules }) => Object.keys(modules))));

/** The packages that are in the files, and their licences, which have to come along. */
function licenses(modules) {
  const folders = new Set(modules.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? []));
  return [...folders]
    .sort()
    .map(licenseOf)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function licenseOf(path) {
  const { name, version: release, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const file = readdirSync(path).find((each) => /^licen[cs]e/i.test(each));
  return `${name} ${release} (${license})\n\n${file === undefined ? '' : readFileSync(join(path, file), 'utf8')}`;
}
