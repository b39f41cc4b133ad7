/** Which configurations may show rows before the commit (docs/sinks.md#rows-before-the-commit). */
import { ConfigurationError, deliver, destinationOf, sinks } from '../../src';
import type { Json, JsonObject } from '../../src';
import { describeWithPostgres, NEEDS, testDatabase } from '../support/postgres';
import type { TestDatabase } from '../support/postgres';
import { tableRuns } from '../support/table-runs';

describe('visibility', () => {
  const api = tableRuns();
  const anywhere = 'postgres://127.0.0.1:1/none?visibility=page';
  const refusal = async (jobs: Json, settings: JsonObject = {}): Promise<ConfigurationError> => {
    const failure: unknown = await deliver(api.configOf(jobs, settings), [destinationOf(anywhere)]).catch(
      (error: unknown) => error,
    );
    if (!(failure instanceof ConfigurationError)) throw failure;
    expect(api.server.requests).toEqual([]);
    return failure;
  };

  it('"page" is refused where rows take the place of others', async () => {
    const { faults } = await refusal([
      { endpoint: 'users' },
      { endpoint: 'events', load: 'append' },
      {
        endpoint: 'orders',
        load: 'merge',
        primaryKey: 'id',
        children: [{ endpoint: 'lines/{id}', placeholders: { id: 'id' } }],
      },
    ]);
    expect(faults.map(({ path }) => path)).toEqual(['config.jobs[0]', 'config.jobs[2]', 'config.jobs[2].children[0]']);
    expect(faults[0]?.message).toMatch(
      /"visibility": "page".*earlier runs \(postgres:.*Write "load": "append" in the job, or leave/,
    );
    expect(faults[1]?.message).toMatch(/the same key.*remove the key/);
  });

  it('"page" is refused where mappings make the rows', async () => {
    const mappings = { events: { id: { type: 'column', mapping: { destination: 'id' } } } };
    const { faults } = await refusal([{ endpoint: 'events' }], { load: 'append', mappings });
    expect(faults.map(({ path }) => path)).toEqual(['config.mappings']);
  });

  it.each(['duckdb:x.duckdb', 'sqlite:x.sqlite', 'parquet:out', 'ndjson:out', 'csv:out', 'nats://h/S'])(
    '%s has no such setting',
    (to) => {
      expect(() => destinationOf({ to, visibility: 'page' })).toThrow(/visibility.*no such setting/s);
    },
  );

  it('is "run" or "page"', () => {
    expect(() => destinationOf({ to: 'postgres://h/b', visibility: 'row' })).toThrow(
      'visibility: expected one of run, page',
    );
  });
});

describeWithPostgres(`visibility "page" in a run ${NEEDS}`, () => {
  const api = tableRuns();
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  it('a run of an id is made once, and an empty run changes nothing', async () => {
    const config = api.configOf([{ endpoint: 'events' }], { load: 'append' });
    const run = (runId: string) => deliver(config, [sinks.postgres(database.url, { visibility: 'page' })], { runId });
    api.answers = { '/events': [{ id: 1 }, { id: 2 }] };
    expect((await run('a')).stored[0]?.tables).toEqual([{ name: 'events', rows: 2 }]);
    const { length } = api.server.requests;
    expect((await run('a')).alreadyCommitted).toBe(true);
    expect(api.server.requests).toHaveLength(length);
    api.answers = {};
    expect((await run('b')).outcome).toBe('complete');
    expect(await database.query('SELECT id FROM events ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await database.query('SELECT run_id FROM _headwater.runs ORDER BY 1')).toEqual([
      { run_id: 'a' },
      { run_id: 'b' },
    ]);
  });
});
