/** The programs of docs/library/operators.md that send requests print what they say, against a server that refuses some. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { transformSync } from '@swc/core';
import * as rxjs from 'rxjs';
import * as undici from 'undici';
import * as operators from '../../../src/operators';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { ROOT } from '../../support/build';
import { fencesOf } from '../../support/page-examples';

const BASE = 'https://api.example';
const modules: Readonly<Record<string, unknown>> = { rxjs, undici, 'headwater/operators': operators };
const programs = fencesOf(readFileSync(join(ROOT, 'docs/library/operators.md'), 'utf8')).flatMap(({ info, text }) =>
  info === 'ts' && text.includes(" from 'undici'") ? [text] : [],
);
const [paging = '', renewing = ''] = programs;
const linesOf = (program: string): readonly string[] =>
  [...program.matchAll(/^\/\/ → (.*)$/gm)].map(([, line = '']) => line);

/** Runs a program against a server, until it has printed as many lines as it says. */
async function printed(program: string, origin: string): Promise<readonly unknown[]> {
  const { code } = transformSync(program.replaceAll(BASE, origin), {
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
  });
  const expected = linesOf(program).length;
  return new Promise((resolve, reject) => {
    const lines: unknown[] = [];
    const log = (line: unknown): void => {
      if (lines.push(line) === expected) setImmediate(() => resolve(lines));
    };
    runInNewContext(code, { require: (name: string) => modules[name], exports: {}, console: { log, error: reject } });
  });
}

describe('docs/library/operators.md', () => {
  let server: ApiServer | undefined;
  afterEach(() => server?.close());

  it('has two programs that send requests', () => {
    expect(programs).toHaveLength(2);
    expect(programs.flatMap(linesOf)).toHaveLength(4);
  });

  it('reads all pages, and asks again after a refusal', async () => {
    let refusals = 1;
    server = await startServer(({ url }) => {
      if (url === '/v1/stations')
        return json({ stations: [{ id: 1 }, { id: 2 }], next: `${String(server?.origin)}/v1/stations?at=2` });
      return refusals-- > 0 ? json({}, 429, { 'retry-after': '0' }) : json({ stations: [{ id: 3 }] });
    });
    expect(await printed(paging, server.origin)).toEqual(linesOf(paging));
    expect(server.requests.map(({ url }) => url)).toEqual(['/v1/stations', '/v1/stations?at=2', '/v1/stations?at=2']);
  });

  it('logs in again where the API refuses a token', async () => {
    let logins = 0;
    server = await startServer(({ url, headers }) => {
      if (url === '/login') return json({ value: `token-${(logins += 1)}`, expires: Date.now() + 3_600_000 });
      return headers.authorization === 'Bearer token-2' ? json(['Ald', 'Esk']) : json({}, 401);
    });
    expect(await printed(renewing, server.origin)).toEqual(linesOf(renewing));
    expect(server.requests.map(({ url }) => url)).toEqual(['/login', '/v1/rivers', '/login', '/v1/rivers']);
  });
});
