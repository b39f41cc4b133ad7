import { runFrom } from '../../src/cluster/run-state';
import type { RunState } from '../../src/cluster/protocol';
import type { RunPart } from '../../src/core/run-parts';
import type { PartEnd } from '../../src/run/deliver/parts';

const LIST: RunPart = { kind: 'job', call: [0, 0], below: false };
const OTHER: RunPart = { kind: 'job', call: [0, 1], below: true };
const BEGUN: RunState['begun'] = {
  isOver: false,
  manifest: { id: 'run', startedAt: 0 } as RunState['begun']['manifest'],
  state: '',
  parts: [LIST, OTHER],
};
const INPUT = {
  ...{ runId: 'run', configuration: 'rivers.json', destination: 'postgres://db', sealed: '' },
  ...{ parts: 2, heartbeatSeconds: 30 },
};
const END: PartEnd = { pages: 1, items: 50, requests: 1, retries: 0, logins: 0, parents: [], warnings: [] };
const page = (number: number, items = 120): PartEnd['parents'][number] => ({ call: [0, 0], page: number, items });

describe('runFrom', () => {
  it('makes so many parts at once, those of the run and then those of the pages that it finds', () => {
    const run = runFrom(INPUT);
    run.begin(BEGUN);
    expect([run.next(false), run.next(false)]).toEqual([LIST, OTHER]);
    expect(run.isDue(false)).toBe(false);
    run.ended(END);
    expect(run.isDue(false)).toBe(false);
    run.found([page(0)]);
    expect(run.progress()).toMatchObject({ state: 'extracting', done: 1, running: 1, waiting: 3, items: 50 });
    expect(run.isDue(false)).toBe(true);
    expect(run.next(false)).toEqual({ kind: 'children', call: [0, 0], page: 0, share: { at: 0, of: 3 } });
    run.tune({ parts: 3, calls: { job: 'rivers', concurrency: 8 } });
    expect(run.next(false)).toMatchObject({ share: { at: 1, of: 3 } });
    expect(run.argumentsOf(LIST)[3]).toEqual([{ job: 'rivers', concurrency: 8 }]);
    expect(run.progress()).toMatchObject({ running: 3, waiting: 1 });
  });

  it('takes each page once, whoever reports it again', () => {
    const run = runFrom(INPUT);
    run.begin({ ...BEGUN, parts: [LIST] });
    run.next(false);
    run.found([page(0), page(1)]);
    run.found([page(0)]);
    run.ended({ ...END, parents: [page(0), page(1), page(2)], warnings: ['late', 'late'] });
    expect(run.progress().waiting).toBe(9);
    expect(run.warnings()).toEqual(['late']);
  });

  it('goes on in the next execution, with the part that was handed back as its first', () => {
    const run = runFrom(INPUT);
    run.begin(BEGUN);
    run.next(false);
    run.found([page(0)]);
    expect(run.isDue(true)).toBe(true);
    expect(run.next(true)).toBeUndefined();
    expect(run.isIdle()).toBe(false);
    run.givenBack(LIST);
    expect(run.isIdle()).toBe(true);
    const left = run.left();
    if (left === undefined) throw new Error('Parts are left.');
    const { from, ...given } = JSON.parse(JSON.stringify(left)) as typeof left;
    const later = runFrom(given, from);
    later.found([page(0), page(1)]);
    expect(later.progress()).toMatchObject({ running: 0, waiting: 8 });
    expect([later.next(false), later.next(false)]).toEqual([LIST, OTHER]);
    // What all parts are given is in the history once for each: nothing of what waits, which may be much.
    expect(later.argumentsOf(LIST)).toEqual([INPUT, { manifest: BEGUN.manifest, state: '' }, LIST, []]);
  });

  it('takes pages that follow each other into the next execution as one, since an input has a maximum size', () => {
    const run = runFrom(INPUT);
    run.begin({ ...BEGUN, parts: [] });
    const other = (number: number): PartEnd['parents'][number] => ({ ...page(number), call: [0, 1] });
    run.found([page(0), other(0), page(1), other(1), page(2, 7)]);
    const from = run.left()?.from;
    expect(from?.parents).toEqual([
      { ...page(0), pages: 2 },
      { ...other(0), pages: 2 },
      { ...page(2, 7), pages: 1 },
    ]);
    const later = runFrom(INPUT, from);
    expect(later.progress().waiting).toBe(13);
    // As many pages wait as parts are made at once: a page is a part.
    expect([later.next(false), later.next(false)]).toMatchObject([
      { call: [0, 0], page: 0, share: { at: 0, of: 1 } },
      { call: [0, 0], page: 1, share: { at: 0, of: 1 } },
    ]);
  });

  it('makes 2,000 parts at once at most, since Temporal refuses more', () => {
    const run = runFrom({ ...INPUT, parts: 5000 });
    run.begin({ ...BEGUN, parts: Array.from({ length: 3000 }, () => OTHER) });
    run.tune({ parts: 4000 });
    while (run.isDue(false)) run.next(false);
    expect(run.progress()).toMatchObject({ running: 2000, waiting: 1000 });
  });

  it('is over when nothing runs and nothing waits', () => {
    const run = runFrom(INPUT);
    expect(() => run.argumentsOf(LIST)).toThrow('not begun');
    run.begin({ ...BEGUN, parts: [OTHER] });
    run.next(false);
    run.failed();
    expect(run.isDue(false)).toBe(true);
    expect(run.next(false)).toBeUndefined();
    expect(run.left()).toBeUndefined();
    run.enter('storing');
    expect(run.progress()).toMatchObject({ state: 'storing', done: 0, running: 0, waiting: 0 });
  });
});
