/**
 * Builds the package into dist, which is emptied first:
 *
 *     npm run build
 *
 * The library in two formats, its declarations, to which the types of what a person writes belong, the command, and the page of its
 * studio. package.json and src/core/version.ts are brought in line before. A dist that was built from the same files stays as it is:
 * `npm install` builds, and so does each way to run the specs.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker, isMainThread } from 'node:worker_threads';
import { writeCommand } from './command.mjs';
import { writeDeclarations } from './declarations.mjs';
import { digestOfInputs } from './inputs.mjs';
import { writeLibrary } from './library.mjs';
import { writeTexts } from './package-json.mjs';
import { writeStudio } from './studio.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The digest of what dist was built from. It is written last, and is not part of the package. */
const BUILT_FROM = join(root, 'dist', '.built-from');

async function build(inputs) {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  // The compiler takes the longest, and has a thread of its own.
  const declarations = new Promise((resolve, reject) =>
    new Worker(fileURLToPath(import.meta.url)).on('error', reject).on('exit', resolve),
  );
  await writeLibrary(root);
  await writeCommand(root);
  await writeStudio(root);
  await declarations;
  writeFileSync(BUILT_FROM, inputs);
}

if (isMainThread) {
  for (const path of writeTexts(root))
    console.log(`${path} was brought in line with scripts/build/entries.mjs and the version.`);
  const inputs = digestOfInputs(root);
  if (existsSync(BUILT_FROM) && readFileSync(BUILT_FROM, 'utf8') === inputs) console.log('dist is up to date.');
  else await build(inputs);
} else {
  writeDeclarations(root);
}
