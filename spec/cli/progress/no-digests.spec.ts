/** A job that was given no id has a digest for one, which tells a person nothing: nobody is to read it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { someOf } from '../../support/cases';
import { COMMAND, runToEnd } from '../../support/command';
import { atTerminal, HAS_SCRIPT } from '../../support/pseudo-terminal';

/** Sixteen hexadecimal digits and more, letters among them: the parts of the id of a run are shorter. */
const DIGEST = /(?<![0-9a-z])(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{16,}(?![0-9a-z])/gi;
const digestsIn = (text: string): readonly string[] => text.match(DIGEST) ?? [];

const jobs = [
  {
    endpoint: 'stations',
    dataField: 'data',
    children: [
      {
        endpoint: 'stations/{id}/gauges',
        dataType: 'gauges',
        dataField: 'data',
        placeholders: { id: 'id' },
        children: [
          {
            endpoint: 'gauges/{2:station}/{id}/levels',
            dataType: 'levels',
            dataField: 'data',
            placeholders: { '2:station': 'id', id: 'id' },
          },
        ],
      },
    ],
  },
  { endpoint: 'rivers', dataField: 'data' },
];

describe('what a run says', () => {
  let server: ApiServer;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-names-'));
    server = await startServer(({ url }) => {
      const { pathname } = new URL(url, 'http://api');
      if (pathname.startsWith('/broken')) return json({ error: 'No' }, 500);
      // Every other gauge has no levels; one of them is missing.
      if (pathname.endsWith('/2/levels')) return json({ error: 'No' }, 404);
      if (pathname.endsWith('/levels')) return json({ data: pathname.includes('/1/') ? [{ level: 1 }] : [] });
      return json({ data: [{ id: 1 }, { id: 2 }] });
    });
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const configured = async (more: readonly object[] = [], config: object = {}): Promise<string> => {
    const path = join(folder, 'config.json');
    const api = { baseUrl: server.origin, http: { ignoreErrors: [404] }, retryConfig: { maxRetries: 0 } };
    await writeFile(path, JSON.stringify({ api, config: { jobs: [...jobs, ...more], ...config } }));
    return path;
  };
  const to = (kind: string): readonly string[] => ['--to', `${kind}:${join(folder, `out-${kind}`)}`];
  const run = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await runToEnd(['run', ...args]);
    return `${stdout}${stderr}`;
  };

  it.each([
    ['in plain lines', ['--progress', 'plain']],
    ['as JSON', ['--log-format', 'json']],
    ['for debugging', ['--log-level', 'debug']],
    ['for debugging, as JSON', ['--log-level', 'debug', '--log-format', 'json']],
  ])('%s calls jobs of all levels by their names, never by a digest', async (_, flags) => {
    const said = await run(await configured(), ...to('ndjson'), ...flags);
    expect(digestsIn(said)).toEqual([]);
    for (const name of ['stations', 'gauges', 'levels', 'rivers']) expect(said).toContain(name);
    expect(said).toContain('levels: 2 of 4 calls had no items');
    // A warning says it for all calls of the run, and the summary of a log does not say it again.
    expect(said.match(/4 calls had no items/g)).toHaveLength(1);
  });

  it.each([
    ['of a job among others that fails', [{ endpoint: 'broken', dataField: 'data' }], { onJobError: 'continue' }],
    ['of a run that fails', [{ endpoint: 'broken', dataField: 'data' }], {}],
    ['of a run that is incomplete', [{ endpoint: 'rivers', dataType: 'none', dataField: 'absent' }], {}],
    ['of a configuration with a fault', [{ endpoint: 'rivers', dataFeild: 'data' }], {}],
    ['of two jobs that are equal', [jobs[1] ?? {}], {}],
  ])('%s has no digest in any form', async (_, more, config) => {
    const path = await configured(more, config);
    for (const flags of someOf([[], ['--log-format', 'json'], ['--log-level', 'debug']], 2)) {
      const said = await run(path, ...to('duckdb'), ...flags);
      expect(said).toMatch(/error|finished/i);
      expect(digestsIn(said)).toEqual([]);
      // What the next call says of this one, too.
      expect(digestsIn(await run(path, ...to('duckdb'), '--resume', ...flags))).toEqual([]);
    }
  });

  const why = HAS_SCRIPT ? '' : ' (skipped: util-linux script is not installed)';
  (HAS_SCRIPT ? it : it.skip)(`at a terminal has a line for the three levels, and no digest${why}`, async () => {
    const command = [process.execPath, COMMAND, 'run', await configured(), ...to('csv')];
    const { ended, written, lines } = atTerminal(command, { columns: 120, rows: 30 });
    expect(await ended).toBe(0);
    expect(digestsIn(written())).toEqual([]);
    expect((await lines()).join('\n')).toContain('levels: 2 of 4 calls had no items');
  });

  it('is looked through by a pattern that finds digests', () => {
    expect(digestsIn('job da39a3ee5e6b4b0d3255bfef95601890afd80709 of 3f786850-e387-550f-bf7e-4b5a2b0e9f10')).toEqual([
      'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    ]);
  });
});
