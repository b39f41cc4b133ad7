/** A secret of the configuration may stand in the address of a destination: no run tells it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, sinks } from '../../src';
import type { Destination, RunEvent } from '../../src';

const SECRET = 'S3cr3tOfTheFolder';

describe('a secret in the path of a destination', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-secret-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const run = async (to: Destination, job: object, told: unknown[] = []): Promise<unknown> => {
    const config = {
      api: { baseUrl: 'https://api.test/' },
      config: { '#token': SECRET, jobs: [{ endpoint: 't', ...job }] },
    };
    return deliver(config, [to], {
      fetch: () => Promise.resolve(Response.json([{ id: 1, at: 'x' }])),
      onEvent: (event: RunEvent) => void told.push(event),
    }).catch((error: unknown) => error);
  };
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, inner: unknown) =>
      inner instanceof Error ? [inner.message, inner.stack, Object.entries(inner)] : inner,
    );

  it('is masked in what the run gives back, in its warnings, and in refusals', async () => {
    const to = sinks.csv(join(folder, SECRET));
    const told: unknown[] = [];
    const delivery = await run(to, {}, told);
    expect(text(delivery)).toContain('csv:');
    const warned = await run(to, { params: { since: { time: 'previousStart' } } }, told);
    expect(told).toContainEqual(expect.objectContaining({ type: 'warning', code: 'CONFIGURATION' }));
    const refused = await run(to, { incremental: { field: 'at', param: 'since' } }, told);
    expect(refused).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(text([delivery, warned, refused, told])).not.toContain(SECRET);
  });
});
