import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, sinks } from '../../../src';

describe('items without any member', () => {
  it.each(['duckdb', 'parquet'] as const)('are rows in %s', async (kind) => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
    const fetch = () => Promise.resolve(new Response('[{},{}]', { headers: { 'content-type': 'application/json' } }));
    const config = { api: { baseUrl: 'https://api.example/' }, config: { jobs: [{ endpoint: 'items' }] } };
    const { stored } = await deliver(config, [sinks[kind](join(folder, 'out'))], { fetch });
    expect(stored[0]?.tables).toMatchObject([{ name: 'items', rows: 2 }]);
    await rm(folder, { recursive: true });
  });
});
