/** What a build depends on. */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Files, and folders with all that is in them. The lock file stands for the packages. */
const INPUTS = [
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'],
  ...['src', 'studio', 'scripts/build', 'schema/headwater.schema.json'],
];

/** A digest of the contents of all files that a build reads, and of their names. */
export function digestOfInputs(root) {
  const hash = createHash('sha256');
  for (const path of INPUTS.flatMap((input) => filesOf(root, input))) {
    const content = readFileSync(join(root, path));
    hash.update(`${path} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

function filesOf(root, path) {
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => filesOf(root, join(path, name)));
}
