import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built project: `dist`, or what HEADWATER_DIST names. */
export const dist = resolve(process.env.HEADWATER_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url)));

/** Writes a configuration into a folder; gives its path. */
export function writeConfig(config, folder) {
  const path = join(folder, 'config.json');
  writeFileSync(path, JSON.stringify(config));
  return path;
}

/** Writes a configuration into a folder; gives the command that runs it. */
export const runCommand = (config, folder, flags = []) => [
  process.execPath,
  join(dist, 'cli', 'main.js'),
  'run',
  writeConfig(config, folder),
  '--log-level',
  'error',
  ...flags,
];

/** One job that pages by offset. */
export const pagedJob = (baseUrl, limit, pagination = {}) => ({
  api: { baseUrl, pagination: { method: 'offset', limit, ...pagination } },
  config: { jobs: [{ endpoint: 'items', dataField: 'items' }] },
});
