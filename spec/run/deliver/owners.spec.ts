/** Tables that another configuration fills (docs/sinks.md#tables-of-another-configuration). */
import { join } from 'node:path';
import { deliver, destinationOf } from '../../../src';
import type { DeliverOptions, Json } from '../../../src';
import { tableRuns } from '../../support/table-runs';

const api = tableRuns();
const { configOf } = api;

const HERE: Json = [{ endpoint: 'here', dataType: 'orders' }];
const THERE: Json = [{ endpoint: 'there', dataType: 'orders' }];

describe.each(['csv', 'ndjson', 'parquet', 'duckdb'])('a table that another configuration fills: %s', (kind) => {
  const run = (name: string | undefined, jobs: Json, settings = {}, options: DeliverOptions = {}) =>
    deliver(configOf(jobs, settings), [destinationOf(`${kind}:${join(api.folder, 'out')}`)], {
      ...(name === undefined ? {} : { configurationName: name }),
      ...options,
    });
  const refusal = (own: string, other: string): object => ({
    code: 'TABLE_TAKEN',
    table: 'orders',
    message: expect.stringMatching(
      `^config\\.jobs\\[0\\]: the table "orders" of ${kind}:.* another configuration, "${other}", and this one, "${own}".*--take-over`,
    ) as string,
  });
  beforeEach(() => {
    api.answers = { '/here': [{ id: 1 }], '/there': [{ id: 2 }] };
  });

  it('is refused before the first request; takeOver lets it be replaced, and by the other one no more', async () => {
    await run('a.json', HERE);
    await expect(run('b.json', THERE)).rejects.toMatchObject(refusal('b.json', 'a.json'));
    expect(api.server.requests).toHaveLength(1);
    await run('b.json', THERE, {}, { takeOver: true });
    await run('b.json', THERE);
    await expect(run('a.json', HERE)).rejects.toMatchObject(refusal('a.json', 'b.json'));
    expect(api.server.requests).toHaveLength(3);
  });

  it('is that of a configuration that was renamed, or changed, or has no name', async () => {
    await run('a.json', HERE);
    await run('b.json', HERE);
    await run('b.json', THERE);
    await run(undefined, HERE);
    await run('c.json', HERE);
    expect(api.server.requests).toHaveLength(5);
  });

  it('takes rows that are added, and stays that of the one that replaces them', async () => {
    await run('a.json', HERE);
    await run('b.json', THERE, { load: 'append' });
    await run('a.json', HERE);
    expect(api.server.requests).toHaveLength(3);
  });

  it('is not there any more where somebody has emptied it', async () => {
    await run('a.json', HERE);
    api.answers = { '/here': [], '/there': [{ id: 2 }] };
    await run('a.json', HERE);
    await run('b.json', THERE);
    expect(api.server.requests).toHaveLength(3);
  });
});
