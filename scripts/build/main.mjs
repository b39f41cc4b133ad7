/**
 * Builds the package into dist, which is emptied first:
 *
 *     npm run build
 *
 * The library in two formats, its declarations, to which the types of what a person writes belong, the command, and the page of its
 * studio. package.json and src/core/version.ts are brought in line before.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker, isMainThread } from 'node:worker_threads';
import { writeCommand } from './command.mjs';
import { writeDeclarations } from './declarations.mjs';
import { writeLibrary } from './library.mjs';
import { writeTexts } from './package-json.mjs';
import { writeStudio } from './studio.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

if (isMainThread) {
  for (const path of writeTexts(root))
    console.log(`${path} was brought in line with scripts/build/entries.mjs and the version.`);
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  // The compiler takes the longest, and has a thread of its own.
  const declarations = new Promise((resolve, reject) =>
    new Worker(fileURLToPath(import.meta.url)).on('error', reject).on('exit', resolve),
  );
  await writeLibrary(root);
  await writeCommand(root);
  await writeStudio(root);
  await declarations;
} else {
  writeDeclarations(root);
}
