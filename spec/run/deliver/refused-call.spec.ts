/** A call of a child that the API refuses, in a run that is resumed: its rows are not forgotten (docs/sinks.md#exactly-once). */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, sinks } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';

describe('a call that the API refuses, where other jobs continue', () => {
  it('is made again by the run that is resumed', async () => {
    let isRefused = true;
    const server = await startServer(({ url }) =>
      url === '/ships'
        ? json([{ id: 1 }, { id: 2 }, { id: 3 }])
        : url.endsWith('/2') && isRefused
          ? json({}, 404)
          : json([{ port: url.slice(-1) }]),
    );
    const folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
    const children = [{ endpoint: 'ports/{ship}', dataType: 'ports', placeholders: { ship: 'id' } }];
    const config = { api: { baseUrl: server.origin }, config: { jobs: [{ endpoint: 'ships', children }] } };
    const run = (resume: boolean) =>
      deliver(config, [sinks.ndjson(join(folder, 'out'))], { onJobError: 'continue', resume });
    await expect(run(false)).rejects.toMatchObject({ code: 'JOBS_FAILED' });
    isRefused = false;
    await run(true);
    expect(await readFile(join(folder, 'out', 'ports.ndjson'), 'utf8')).toBe(
      '{"port":"1"}\n{"port":"2"}\n{"port":"3"}\n',
    );
    await server.close();
    await rm(folder, { recursive: true });
  });
});
