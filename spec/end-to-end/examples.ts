import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Example {
  readonly api: { readonly baseUrl: string; readonly authentication?: object };
  readonly config: Readonly<Record<string, unknown>>;
}

/** An example of an extension by its file name, moved to the address at which a server listens. */
export function exampleAt(origin: string, name: string): Example {
  const path = join(__dirname, '../../examples/extensions', name);
  const { api, ...rest } = JSON.parse(readFileSync(path, 'utf8')) as Example;
  return { ...rest, api: { ...api, baseUrl: origin + new URL(api.baseUrl).pathname } };
}
