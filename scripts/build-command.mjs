/**
 * Writes the command into one file, dist/cli/main.js. Its first request leaves in less than half the time that the 700
 * files of the project and of its packages take: docs/performance.md has the figures. The library stays as tsc writes it.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'dist', 'cli');
const { version, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Builds from which the unused can be left out. */
const REPLACED = new Map([
  ['undici', join(root, 'scripts', 'undici.cjs')],
  ['rxjs', join(createRequire(import.meta.url).resolve('rxjs'), '..', '..', 'esm', 'index.js')],
]);

const bundle = await rolldown({
  input: join(root, 'src', 'cli', 'main.ts'),
  platform: 'node',
  // Loaded by the few runs that need it.
  external: ['json-p3', 're2js', 'ssh2', ...Object.keys(peerDependencies)],
  resolve: { mainFields: ['module', 'main'], alias: { 'fp-ts/lib': 'fp-ts/es6' } },
  transform: { target: 'node20' },
  // A module of a package is compiled when it is first used, if ever.
  optimization: { pifeForModuleWrappers: false },
  plugins: [
    {
      name: 'headwater',
      resolveId: (id) => REPLACED.get(id),
      // In the library, it reads package.json.
      load: (id) =>
        id === join(root, 'src', 'version.ts') ? `export const version = ${JSON.stringify(version)};` : undefined,
    },
  ],
});
const { output } = await bundle.write({
  dir: folder,
  // tsc has written the command, too.
  cleanDir: true,
  format: 'cjs',
  codeSplitting: false,
  comments: false,
  // The names of functions stay: a defect is reported with its stack.
  minify: {
    compress: { keepNames: { function: true, class: true } },
    mangle: { keepNames: true },
    codegen: { removeWhitespace: true },
  },
});
await bundle.close();
writeFileSync(join(folder, 'licenses.txt'), licenses(Object.keys(output[0].modules)));

/** The packages that are in the file, and their licences, which have to come along. */
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
