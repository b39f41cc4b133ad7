import { lookAt, summaryOf, summaryLine, summaryTable, summaryWarnings } from '../../../src/cli/run/summary';
import { NO_RUN } from '../../../src';
import type { Delivery } from '../../../src';

describe('lookAt', () => {
  it.each([
    ['duckdb:my rivers.duckdb', 'levels', `headwater query 'my rivers.duckdb' 'select * from "levels" limit 10'`],
    ['ndjson:out', 'levels.ndjson', `headwater query out 'select * from "levels" limit 10'`],
    ['csv:out', 'it\'s "x".csv.gz', `headwater query out 'select * from "it'\\''s ""x""" limit 10'`],
    ['sqlite:x.sqlite', 'a', `sqlite3 x.sqlite 'select * from "a" limit 10'`],
    ['postgres://db/sales?schema=crm', 'a', `psql postgres://db/sales -c 'select * from "crm"."a" limit 10'`],
    ['ndjson:-', 'a', undefined],
    ['csv:s3://lake/crm', 'a.csv', 'aws s3 cp s3://lake/crm/a.csv - | head -n 5'],
    ['ndjson:s3://lake/my crm', 'a.ndjson.gz', "aws s3 cp 's3://lake/my crm/a.ndjson.gz' - | gunzip | head -n 5"],
    ['parquet:s3://lake/crm', 'a', 'aws s3 ls --recursive s3://lake/crm/a'],
    ['nats://db:4222/ORDERS', 'crm.a', 'nats --server nats://db:4222 stream view ORDERS --subject crm.a'],
    ['mine://somewhere', 'a', undefined],
  ])('%s, %s: %s', (sink, table, command) => {
    expect(lookAt(sink, table)).toBe(command);
  });
});

describe('the summary of a run', () => {
  const delivery: Delivery = {
    ...{ runId: 'r', alreadyCommitted: false, resumedPages: 0, state: {}, outcome: 'complete', jobs: [] },
    stored: [
      {
        sink: 'duckdb:x.duckdb',
        tables: [
          { name: 'a', rows: 5 },
          { name: 'rivers', rows: 12_000, changes: [{ change: 'column_added', column: 'depth', type: 'DOUBLE' }] },
        ],
      },
    ],
  };
  const run = {
    ...NO_RUN,
    items: 12_005,
    requests: 13,
    retries: 1,
    logins: 1,
    bytes: 35_000,
    startedAt: 0,
    endedAt: 900,
  };
  const summary = summaryOf(delivery, run, 0, ['rivers', 'a']);

  it.each([
    ['the first of the jobs', ['rivers', 'a'], ['a', 'rivers_sites', 'rivers'], 'rivers'],
    ['in a bucket, as a file', ['rivers'], ['crm.a.csv', 'crm.rivers_sites.csv.gz', 'crm.rivers.csv.gz'], 'crm.rivers'],
    ['a job without rows is passed over', ['none', 'rivers'], ['none', 'a', 'rivers'], 'rivers'],
    ['a table of no job', [], ['none', 'a', 'rivers'], 'a'],
  ])('names a table to look at: %s', (_, jobs, names, looked) => {
    const tables = names.map((name, at) => ({ name, rows: name === 'none' ? 0 : 1000 - at }));
    const { look } = summaryOf({ ...delivery, stored: [{ sink: 'csv:out', tables }] }, run, 0, jobs);
    expect(look).toEqual([`headwater query out 'select * from "${looked}" limit 10'`]);
  });

  it('is an aligned table at a terminal', () => {
    expect(summaryTable(summary, (text) => text.length)).toBe(
      [
        'table     rows  destination',
        'a            5  duckdb:x.duckdb',
        'rivers  12,000  duckdb:x.duckdb',
        'rivers: column depth added (DOUBLE)',
        '12,005 items, 13 requests, 1 retry, 1 login, 35 kB, 0.9 s',
        `Look at it: headwater query x.duckdb 'select * from "rivers" limit 10'`,
        '',
      ].join('\n'),
    );
  });

  it('is one line in a log', () => {
    expect(summaryLine(summary)).toBe(
      'Stored duckdb:x.duckdb: a: 5 rows; duckdb:x.duckdb: rivers: 12,000 rows (column depth added (DOUBLE)). ' +
        'Took 12,005 items, 13 requests, 1 retry, 1 login, 35 kB, 0.9 s. ' +
        `Look at it: headwater query x.duckdb 'select * from "rivers" limit 10'`,
    );
  });

  it('says what became of rows, where that is known', () => {
    const tables = [
      { name: 'rivers', rows: 4, added: 1, changed: 2, removed: 0, total: 1200 },
      { name: 'gauges', rows: 3, total: 3 },
    ];
    const counted = summaryOf({ ...delivery, stored: [{ sink: 'duckdb:x.duckdb', tables }] }, run, 0, []);
    expect(summaryTable(counted, (text) => text.length)).toMatch(
      new RegExp(
        '^table   rows  added  changed  in all  destination\n' +
          'rivers     4      1        2   1,200  duckdb:x.duckdb\n' +
          'gauges     3                       3  duckdb:x.duckdb\n',
      ),
    );
    expect(summaryLine(counted)).toContain(
      'rivers: 4 rows, 1 added, 2 changed, 1,200 in all; duckdb:x.duckdb: gauges: 3 rows.',
    );
    // The same as fields of JSON.
    expect(counted.tables[0]).toMatchObject({ added: 1, changed: 2, removed: 0, total: 1200 });
  });

  it('says how many items gave way to later ones, and which rows are the same', () => {
    const tables = [{ name: 'rivers', rows: 3990, repeated: 11, added: 3950, changed: 1, unchanged: 39, total: 4000 }];
    const both = ['duckdb:x.duckdb', 'sqlite:x.sqlite'].map((sink) => ({ sink, tables }));
    const counted = summaryOf({ ...delivery, stored: both }, run, 0, []);
    const text = summaryTable(counted, (each) => each.length);
    expect(text).toContain('table    rows  added  changed  unchanged  in all  destination\n');
    const remark = 'rivers: 4,001 items made 3,990 rows: 11 gave way to a later one with the same key';
    expect(text.split(remark)).toHaveLength(2);
    expect(summaryLine(counted)).toContain(`1 changed, 39 unchanged, 4,000 in all. ${remark}. Took`);
  });

  it('warns, in a sentence of its own, where more than half of the items gave way', () => {
    const textsOf = (rows: number, repeated: number): readonly string[] => {
      const tables = [{ name: 'levels', rows, repeated }];
      const both = ['duckdb:x.duckdb', 'sqlite:x.sqlite'].map((sink) => ({ sink, tables }));
      const counted = summaryOf({ ...delivery, stored: both }, run, 0, []);
      return [...summaryWarnings(counted), summaryLine(counted)];
    };
    const [warning, line, ...others] = textsOf(40, 210);
    expect(warning).toBe(
      'levels: 250 items made 40 rows: 210 gave way to a later one with the same key. The primary key of the table may not distinguish its items.',
    );
    expect(line).not.toContain('gave way');
    expect(others).toEqual([]);
    expect(textsOf(40, 40)).toEqual([expect.stringContaining('80 items made 40 rows: 40 gave way')]);
  });

  it('sums the calls of a job up that had no items', () => {
    const job = {
      ...{ path: 'config.jobs[0].children[0]', name: 'levels', state: 'finished' as const, arrived: 0, startedAt: 0 },
      ...{ pages: 0, items: 0, requests: 0, retries: 0, bytes: 0, warnings: 0 },
    };
    const jobs = [
      { ...job, calls: 4001, ended: 4001, emptyCalls: 2401 },
      { ...job, name: 'gauges', calls: 2, ended: 2, emptyCalls: 2 },
      { ...job, name: 'rivers', calls: 1, ended: 1, emptyCalls: 1 },
    ];
    const text = summaryTable(summaryOf(delivery, { ...run, jobs }, 0, []), (each) => each.length);
    expect(text).toContain(
      'levels: 2,401 of 4,001 calls had no items\ngauges: none of 2 calls had items\n12,005 items',
    );
  });

  it('says that nothing arrived', () => {
    expect(summaryTable(summaryOf({ ...delivery, stored: [] }, run, 0, []), (text) => text.length)).toMatch(
      /^Nothing arrived\.\n/,
    );
  });
});
