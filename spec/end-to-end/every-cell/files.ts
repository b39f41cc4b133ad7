import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Files by the name of their table. */
export async function files(folder: string, suffix: string): Promise<readonly (readonly [string, string])[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(suffix)).sort();
  return names.map((name) => [name.slice(0, -suffix.length), join(folder, name)] as const);
}
