import { acceptedText, differencesOf, parseJson, readAccepted } from '../../../src';
import type { Json, ReplayedRun } from '../../../src';

const run = (items: readonly Json[], more: Partial<ReplayedRun> = {}): ReplayedRun => ({
  jobs: [{ job: 'rivers', iteration: 0, pages: 1, items }],
  tables: [],
  warnings: [],
  ...more,
});
const of = 'rivers';

describe('differencesOf', () => {
  it('finds none between equal runs', () => {
    expect(differencesOf(run([{ id: 1 }]), run([{ id: 1 }]))).toEqual([]);
    expect(differencesOf(run([]), run([]))).toEqual([]);
  });

  it('tells items that were inserted and removed from those that changed', () => {
    const items = [1, 2, 3, 4].map((id) => ({ id }));
    expect(differencesOf(run(items), run([{ id: 0 }, ...items]))).toEqual([
      { about: 'item', of, item: 1, got: '{"id":0}' },
    ]);
    expect(differencesOf(run(items), run(items.slice(1)))).toEqual([
      { about: 'item', of, item: 1, expected: '{"id":1}' },
    ]);
    expect(differencesOf(run(items), run([{ id: 1 }, { id: 2, a: { b: [1] } }, { id: 3 }, { id: 4 }]))).toEqual([
      { about: 'item', of, item: 2, field: 'a', got: '{"b":[1]}' },
    ]);
  });

  it('names the deepest field, and compares all digits and the order of keys', () => {
    const [before, now] = [
      '[{"a":{"b":[1,2]},"n":1.0000000000000000001}]',
      '[{"a":{"b":[1,3]},"n":1.0000000000000000002}]',
    ];
    expect(differencesOf(run(parseJson(before) as Json[]), run(parseJson(now) as Json[]))).toEqual([
      { about: 'item', of, item: 1, field: 'a.b.1', expected: '2', got: '3' },
      { about: 'item', of, item: 1, field: 'n', expected: '1.0000000000000000001', got: '1.0000000000000000002' },
    ]);
    expect(differencesOf(run([{ a: 1, b: 2 }]), run([{ b: 2, a: 1 }]))).toEqual([
      { about: 'item', of, item: 1, expected: '{"a":1,"b":2}', got: '{"b":2,"a":1}' },
    ]);
    expect(differencesOf(run([{ '': null }, 'x']), run([{}, 7]))).toEqual([
      { about: 'item', of, item: 1, field: "$['']", expected: 'null' },
      { about: 'item', of, item: 2, expected: '"x"', got: '7' },
    ]);
  });

  it('compares jobs, iterations, ends, tables and warnings', () => {
    const lake = { job: 'rivers', iteration: 1, pages: 2, items: [] };
    const table = { name: 'rivers', columns: [{ name: 'id', type: 'text' }], rows: 3 };
    const expected = run([], { error: 'API_STATUS', jobs: [lake], tables: [table] });
    const got = run([], {
      tables: [{ ...table, parent: 'seas', columns: [], rows: 4 }],
      warnings: [{ code: 'NO_DATA' }],
    });
    expect(differencesOf(expected, got)).toEqual([
      { about: 'error', expected: 'API_STATUS' },
      { about: 'job', of: 'rivers (iteration 1)', expected: '{"pages":2,"items":0}' },
      { about: 'job', of, got: '{"pages":1,"items":0}' },
      { about: 'table', of, got: '"seas"' },
      { about: 'column', of, field: 'id', expected: 'text' },
      { about: 'rows', of, expected: '3', got: '4' },
      { about: 'warning', got: 'NO_DATA' },
    ]);
  });

  it('compares lists that are too long to be aligned place by place', () => {
    const many = Array.from({ length: 6_000 }, (_, id) => ({ id }));
    const got = many.map((item) => (item.id === 5_000 ? { id: -1 } : item));
    expect(differencesOf(run(many), run(got))).toEqual([
      { about: 'item', of, item: 5_001, field: 'id', expected: '5000', got: '-1' },
    ]);
    expect(differencesOf(run(many), run(many.slice(0, -1)))).toHaveLength(1);
  });
});

const RUN: ReplayedRun = {
  error: 'INCOMPLETE',
  jobs: [
    {
      job: 'a "job"',
      iteration: 0,
      pages: 2,
      items: parseJson('[{"n":12345678901234567890.10,"2":1,"1":2},7]') as Json[],
    },
    { job: 'none', iteration: 1, pages: 0, items: [] },
  ],
  tables: [{ name: 't', parent: 'p', columns: [{ name: 'n', type: 'text' }], rows: 1 }],
  warnings: [{ code: 'NO_DATA', job: 'none' }],
};

describe('the file of an accepted run', () => {
  it('keeps all of it, a line an item', () => {
    const text = acceptedText(RUN);
    expect(text).toContain('\n      {"n":12345678901234567890.10,"2":1,"1":2},\n');
    expect(differencesOf(readAccepted(text), RUN)).toEqual([]);
    const bare = { jobs: [], tables: [], warnings: [] };
    expect(readAccepted(acceptedText(bare))).toMatchObject(bare);
  });

  it.each([
    '',
    '{}',
    '[]',
    '{"version":2,"jobs":[],"tables":[],"warnings":[]}',
    '{"version":1,"jobs":[{}],"tables":[],"warnings":[]}',
  ])('is not %s', (text) =>
    expect(() => readAccepted(text)).toThrow(expect.objectContaining({ code: 'CONFIG_UNREADABLE' }) as Error),
  );
});
