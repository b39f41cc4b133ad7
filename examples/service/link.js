// @ts-check
/** Within the repository, `headwater` is what is built there. Who copies the service installs the package instead. */
import { copyFileSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
const folder = new URL('node_modules/headwater/', import.meta.url);
const dist = fileURLToPath(new URL('dist', folder));
mkdirSync(folder, { recursive: true });
copyFileSync(new URL('package.json', root), new URL('package.json', folder));
// Not the repository as a whole: it has this folder in it, and who walks through its folders would never come to an end.
if (lstatSync(dist, { throwIfNoEntry: false }) === undefined)
  symlinkSync(fileURLToPath(new URL('dist', root)), dist, 'junction');
