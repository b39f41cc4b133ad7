// @ts-check
/** Within the repository, `headwater` is the repository. Who copies the service installs the package instead. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const link = new URL('node_modules/headwater', import.meta.url);
if (!existsSync(link)) {
  mkdirSync(new URL('.', link), { recursive: true });
  symlinkSync(fileURLToPath(new URL('../..', import.meta.url)), link, 'junction');
}
