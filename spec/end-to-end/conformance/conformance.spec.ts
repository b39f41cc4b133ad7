/**
 * Whole runs from configuration to files, against a real server: each case of `cases/` gives exactly its requests and
 * tables, each of `failures/` its error and no file. The expected tables were worked out from the language by hand.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { filesIn, load } from '../../support/load';
import { answerTo, casesIn, configurationAt, readRequest } from './conformance-case';
import type { ConformanceCase } from './conformance-case';
import { comparable, readTables } from './tables-of-a-folder';

/** All that jest can fake but the date. */
const NOT_FAKED = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];

describe('conformance', () => {
  let server: ApiServer;
  let output: string;

  beforeEach(() => {
    output = mkdtempSync(join(tmpdir(), 'headwater-conformance-'));
  });
  afterEach(async () => {
    jest.useRealTimers();
    await server.close();
    rmSync(output, { recursive: true, force: true });
  });

  async function run(test: ConformanceCase): Promise<void> {
    server = await startServer((request) => answerTo(request, test, server.origin));
    if (test.clock !== undefined) jest.useFakeTimers({ now: new Date(test.clock), doNotFake: NOT_FAKED });
    const sink = filesIn(output);
    const asTheLanguage = {
      completeness: 'off',
      tableNaming: 'dataType',
      lenient: true,
      renewEarly: false,
      plainRetries: true,
    } as const;
    const state = test.state === undefined ? {} : { state: test.state };
    await load(configurationAt(test, server.origin), sink, { ...asTheLanguage, ...state });
  }

  const received = (): readonly object[] =>
    server.requests.map(({ method, url, body }) => readRequest(`${method} ${url} ${body}`));
  const expected = ({ requests, exchanges }: ConformanceCase): readonly object[] =>
    (requests ?? exchanges.map(({ method, url, body }) => `${method} ${url} ${body}`)).map(readRequest);

  it.each(casesIn('cases'))('language $sections: $id', async (test) => {
    await run(test);
    expect(received()).toEqual(expected(test));
    expect(comparable(readTables(output))).toEqual(comparable(test.tables));
  });

  it.each(casesIn('failures'))('language $sections: fails with $id', async (test) => {
    const outcome = run(test);
    await expect(outcome).rejects.toMatchObject({ code: test.error?.code });
    for (const part of test.error?.parts ?? []) await expect(outcome).rejects.toThrow(part);
    expect(received()).toEqual(expected(test));
    expect(existsSync(output) ? readdirSync(output) : []).toEqual([]);
  });
});
