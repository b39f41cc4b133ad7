/** Runs of documented extensions against a real server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { extract, validate } from '../../src';
import type { ExtractOptions, Page } from '../../src';
import type { ApiServer } from '../support/api-server';

interface Written {
  readonly api: object;
  readonly config: object;
}

/** A configuration in examples/extensions/, which must be valid and without a setting that has no effect. */
export function example(name: string): Written {
  const written = JSON.parse(readFileSync(join(__dirname, '../../examples/extensions', name), 'utf8')) as Written;
  expect(validate(written).warnings).toEqual([]);
  return written;
}

/** All pages of a configuration, with the server in place of its base URL. */
export const pagesOf = (server: ApiServer, { api, config }: Written, options?: ExtractOptions): Promise<Page[]> =>
  lastValueFrom(extract({ api: { ...api, baseUrl: `${server.origin}/api/` }, config }, options).pages$.pipe(toArray()));

/** Method, path and decoded query of what the server was asked, in order. */
export const asked = ({ requests }: ApiServer): string[] =>
  requests.map(({ method, url }) => `${method} ${decodeURIComponent(url)}`);
