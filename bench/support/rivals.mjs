import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ofNdjson } from './outputs.mjs';

/** Returns the path of a file beside the rivals. */
export const fileOf = (name) => fileURLToPath(new URL(`../rivals/${name}`, import.meta.url));

/** Where bench/rivals/install.sh has put them. */
const bin = join(process.env.RIVALS_VENV ?? join(tmpdir(), 'headwater-rivals'), 'bin');
const python = join(bin, 'python');

export const rivalsAreInstalled = () => existsSync(python);

const VERSIONS = `
import sys
from importlib.metadata import version
print(", ".join(f"{name} {version(name)}" for name in sys.argv[1:]))`;

/** For example `dlt 1.31.0, airbyte-cdk 7.39.1`. */
export const rivalVersions = (names = ['dlt', 'airbyte-cdk']) =>
  execFileSync(python, ['-c', VERSIONS, ...names], { encoding: 'utf8' }).trim();

const ofDlt = (folder) => {
  const tables = join(folder, 'out', 'bench', 'items');
  return ofNdjson(readdirSync(tables).map((name) => join(tables, name)));
};

/** Returns the command of the CDK that reads the streams of a catalogue; the arguments are paths. */
export const declarative = ({ config, catalog, manifest }) => {
  const files = ['--config', config, '--catalog', catalog, '--manifest-path', manifest];
  return [join(bin, 'source-declarative-manifest'), 'read', ...files];
};

/** Further contestants, as in contestants.mjs. */
export const rivals = (url, limit) => [
  {
    name: 'dlt',
    command: (folder) => [python, fileOf('dlt_items.py'), url, String(limit), folder, 'filesystem'],
    read: ofDlt,
  },
  {
    name: 'Airbyte CDK, its command',
    command: (folder) => {
      const config = join(folder, 'config.json');
      writeFileSync(config, JSON.stringify({ base_url: url, limit }));
      return declarative({ config, catalog: fileOf('catalog.json'), manifest: fileOf('manifest.yaml') });
    },
    output: (folder) => join(folder, 'messages.ndjson'),
    read: (folder) => ofNdjson([join(folder, 'messages.ndjson')], (message) => message.record?.data),
  },
  {
    name: 'Airbyte CDK, as a library',
    command: (folder) => [python, fileOf('airbyte_items.py'), url, String(limit), folder],
    read: (folder) => ofNdjson([join(folder, 'items.ndjson')]),
  },
];
