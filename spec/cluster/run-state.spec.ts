import { runFrom } from '../../src/cluster/run-state';
import type { RunParts } from '../../src/cluster/run-state';
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
    run.ended(END, OTHER);
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
    run.ended({ ...END, parents: [page(0), page(1), page(2)], warnings: ['late', 'late'] }, LIST);
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

  describe('a call whose pages several parts read', () => {
    const behind = { from: 2, to: 45, position: 200, stride: 100, every: 20 };
    const REST: RunPart = { kind: 'rest', call: [0, 0], behind };
    const parents = (...pages: readonly number[]) => ({ ...END, parents: pages.map((number) => page(number, 10)) });
    const begun = (): RunParts => {
      const run = runFrom({ ...INPUT, parts: 200 });
      run.begin({ ...BEGUN, parts: [LIST] });
      run.next(false);
      run.ended({ ...parents(0, 1), rest: REST }, LIST);
      return run;
    };
    const nextOf = (run: RunParts): RunPart => {
      const part = run.isDue(false) ? run.next(false) : undefined;
      if (part === undefined) throw new Error('none');
      return part;
    };
    const pagesOf = (run: RunParts): readonly unknown[] =>
      (run.left()?.from?.parents ?? []).map(({ page: from, pages }) => [from, pages]);

    it('has its rest behind them, and then its children', () => {
      const run = begun();
      const some = [nextOf(run), nextOf(run), nextOf(run)];
      expect(some).toMatchObject([
        { kind: 'pages', pages: { from: 2, to: 22, position: 200 } },
        { kind: 'pages', pages: { from: 22, to: 42, position: 2200 } },
        { kind: 'pages', pages: { from: 42, to: 45, position: 4200 } },
      ]);
      expect(run.isDue(false)).toBe(false);
      for (const [at, part] of some.entries()) run.ended(parents(30 - at), part);
      const rest = nextOf(run);
      expect([rest, run.progress().waiting]).toEqual([REST, 0]);
      run.ended(parents(45), rest);
      expect(pagesOf(run)).toEqual([
        [0, 2],
        [28, 3],
        [45, 1],
      ]);
    });

    it('has the pages of its rest alone, where that begins anew', () => {
      const run = begun();
      for (const part of [nextOf(run), nextOf(run), nextOf(run)]) run.ended(parents(7), part);
      run.ended({ ...parents(0, 1, 2), isAnew: true }, nextOf(run));
      expect(pagesOf(run)).toEqual([[0, 3]]);
    });

    it('goes on in the next execution', () => {
      const run = begun();
      const [first, second] = [nextOf(run), nextOf(run)];
      run.ended(parents(2, 3), first);
      run.givenBack(second);
      const left = run.left();
      if (left === undefined) throw new Error('Parts are left.');
      const { from, ...given } = JSON.parse(JSON.stringify(left)) as typeof left;
      const later = runFrom(given, from);
      for (const part of [nextOf(later), nextOf(later)]) later.ended(parents(), part);
      later.ended(parents(), nextOf(later));
      expect(pagesOf(later)).toEqual([[0, 4]]);
    });
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
