import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version of this package, as package.json has it. */
export const version: string = readVersion();

function readVersion(): string {
  const description: unknown = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8'));
  return (description as { readonly version: string }).version;
}
