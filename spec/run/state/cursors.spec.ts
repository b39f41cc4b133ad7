import type { Outcome } from '../../../src/core/events';
import type { Json, JsonObject } from '../../../src/core/model';
import type { JobPlace, OutputPlan } from '../../../src/plan/plan';
import {
  createCursorTracker,
  cursorsOf,
  nextState,
  previousStartOf,
  completeJobs,
} from '../../../src/run/state/cursors';
import { anOutput } from '../../support/durable';

const upTo = (parents: Json): JsonObject => ({ 'headwater.cursors': parents });
const reaching = (value: string | number, parent = '') => ({ parent, value, least: value, ascends: true });
const at = (job: string, value: string | number, parent = '') => ({ job, items: 1, cursor: reaching(value, parent) });
const whole = (): boolean => true;
const cut = (): boolean => false;
const job = (id: string) => ({ id, path: 'config.jobs[0]', endpoint: id, dataType: id });

describe('how far jobs have come', () => {
  it('is the furthest value of all pages and of the runs before, in any order', () => {
    const book = createCursorTracker(upTo({ a: { '': 5 }, b: { '': 5 }, untouched: { x: 1 } }));
    for (const value of [7, 9, 8]) book.add(at('a', value));
    for (const value of [3, 8, 4]) book.addPage({ job: job('b'), count: 1, cursor: reaching(value) });
    expect(book.into({ mine: 1 }, whole)).toEqual({
      mine: 1,
      ...upTo({ a: { '': 9 }, b: { '': 8 }, untouched: { x: 1 } }),
    });
  });

  it('is kept for each parent by itself', () => {
    const book = createCursorTracker({});
    book.add(at('a', 1, 'p'));
    book.add(at('a', 2, 'q'));
    book.add(at('a', 3, 'p'));
    expect(book.into({}, whole)).toEqual(upTo({ a: { p: 3, q: 2 } }));
  });

  it('stays where it was for a job that failed, in whatever order its items came', () => {
    const book = createCursorTracker(upTo({ a: { '': 5 } }));
    book.add(at('a', 7));
    expect(book.into({}, () => 'failed')).toEqual(upTo({ a: { '': 5 } }));
    expect(book.isHeld('a', () => 'failed')).toBe(true);
    expect(book.into({}, whole)).toEqual(upTo({ a: { '': 7 } }));
  });

  it('leaves a state as it is where no page came with a value', () => {
    const book = createCursorTracker(upTo({ a: { '': 5 } }));
    book.add({ job: 'a', items: 2 });
    book.addPage({ job: job('b'), count: 0 });
    const state = { mine: 1 };
    expect(book.into(state, whole)).toBe(state);
    expect(['a', 'b', 'c'].map(book.isWithout)).toEqual([true, false, false]);
    book.add(at('a', 6));
    expect(book.isWithout('a')).toBe(false);
  });

  it('does not change the state that it began with', () => {
    const state = upTo({ a: { '': 5 } });
    createCursorTracker(state).add(at('a', 6));
    expect(state).toEqual(upTo({ a: { '': 5 } }));
  });

  it.each([[{}], [upTo(5)], [upTo([])]])('of %j there is nothing to read', (state) => {
    expect(cursorsOf(state)).toEqual(new Map());
  });

  it('takes a job whose parents cannot be read as one without any', () => {
    expect(cursorsOf(upTo({ a: 5, b: { '': 1 } }))).toEqual(
      new Map([
        ['a', new Map()],
        ['b', new Map([['', 1]])],
      ]),
    );
  });
});

describe('how far jobs have come that got items from after the start of the run', () => {
  const beyond = (least: number, furthest?: number) => ({
    ...{ job: 'a', items: 1 },
    cursor: {
      ...{ parent: '', least, value: Math.min(furthest ?? least, 100), ascends: true },
      ...(furthest === undefined ? {} : { furthest }),
    },
  });

  it('is the start of the run, and they are known', () => {
    const book = createCursorTracker(upTo({ a: { '': 5 } }));
    book.add(beyond(7));
    expect(book.isBeyond('a')).toBe(false);
    book.add(beyond(90, 160));
    book.add(beyond(8));
    expect(book.isBeyond('a')).toBe(true);
    expect(book.into({}, whole)).toEqual(upTo({ a: { '': 100 } }));
  });

  it.each([
    [160, { '': 100 }],
    [150, { '': 5 }],
  ])('where a part of them is missing, by the order in which they came: from %d on', (least, expected) => {
    const book = createCursorTracker(upTo({ a: { '': 5 } }));
    book.add(beyond(90, 160));
    book.add(beyond(least, 170));
    expect(book.into({}, cut)).toEqual(upTo({ a: expected }));
  });
});

describe('how far jobs have come that did not get all', () => {
  it('is the furthest value where items ascend, on each page and from page to page', () => {
    const book = createCursorTracker(upTo({ a: { '': 5 } }));
    for (const value of [6, 6, 9]) book.add(at('a', value));
    expect(book.isHeld('a', cut)).toBe(false);
    expect(book.into({}, cut)).toEqual(upTo({ a: { '': 9 } }));
  });

  it.each([
    ['on a page', [{ ...reaching(9), least: 8, ascends: false }]],
    ['from page to page', [reaching(9), reaching(8)]],
    ['within the next page', [reaching(7), { ...reaching(9), least: 6 }]],
  ])('is where they were before, where items do not ascend %s; for each parent by itself', (_, cursors) => {
    const book = createCursorTracker(upTo({ a: { '': 5 }, b: { '': 1 } }));
    for (const cursor of cursors) book.addPage({ job: job('a'), count: 1, cursor });
    for (const value of [1, 2]) book.add(at('a', value, 'p'));
    for (const value of [2, 3]) book.add(at('b', value));
    expect(['a', 'b'].map((id) => book.isHeld(id, cut))).toEqual([true, false]);
    expect(book.isHeld('a', whole)).toBe(false);
    expect(book.into({}, cut)).toEqual(upTo({ a: { '': 5, p: 2 }, b: { '': 3 } }));
    expect(book.into({}, whole)).toEqual(upTo({ a: { '': 9, p: 2 }, b: { '': 3 } }));
  });
});

describe('how far jobs have come that were stopped', () => {
  const stopping = { stopped: true };
  const flat = (parent: string, evidence?: typeof stopping) => ({
    job: 'a',
    items: 2,
    cursor: reaching(7, parent),
    ...(evidence === undefined ? {} : { evidence }),
  });

  it('is not told by items that all have one value; other parents advance', () => {
    const book = createCursorTracker(upTo({ a: { p: 5, q: 5 } }));
    book.add(flat('p', stopping));
    book.add(flat('q'));
    expect(book.isHeld('a', whole)).toBe(true);
    expect(book.into({}, whole)).toEqual(upTo({ a: { p: 5, q: 7 } }));
  });

  it('is held for all parents by a page without items, which does not tell its parent', () => {
    const book = createCursorTracker(upTo({}));
    book.addPage({ job: job('a'), count: 1, cursor: reaching(7) });
    book.addPage({ job: job('a'), count: 0, evidence: stopping });
    expect(book.isHeld('a', whole)).toBe(true);
    expect(book.into({}, whole)).toEqual(upTo({ a: {} }));
  });

  it('is not told of where it is as far as it was', () => {
    const book = createCursorTracker(upTo({ a: { p: 7 } }));
    book.add(flat('p', stopping));
    expect(book.isHeld('a', whole)).toBe(false);
  });
});

describe('items from before the value that a job asked from', () => {
  it.each([
    [100, 0, 100, false],
    [100, 0, 99, true],
    [100, 10, 90, false],
    [100, 10, 89, true],
    ['2024-05-02T10:00:00Z', 0, '2024-05-01T10:00:00Z', false],
    ['2024-05-02T10:00:00Z', 0, '2024-05-01T09:59:59Z', true],
    ['2024-05-02T10:00:00Z', 3600, '2024-05-01T09:30:00Z', false],
    ['b', 0, 'a', true],
    ['b', 0, 'b', false],
  ])('from %j, %i back: %j: %j', (known, lag, value, expected) => {
    const book = createCursorTracker(upTo({ a: { '': known } }));
    book.add(at('a', value));
    expect(book.isPassedOver('a', lag)).toBe(expected);
  });

  it('are ordinary where a job has asked from nowhere', () => {
    const book = createCursorTracker(upTo({ a: { p: 9 } }));
    book.add(at('a', 1));
    expect(book.isPassedOver('a', 0)).toBe(false);
  });
});

describe('the state of a run (language 8.13)', () => {
  it('keeps whatever stands in it, and gets the start of the run', () => {
    expect(nextState({ mine: [1], time: { zone: 'UTC', previousStart: 5 } }, 7)).toEqual({
      mine: [1],
      time: { zone: 'UTC', previousStart: 7 },
    });
    expect(nextState({ time: 'now' }, 7)).toEqual({ time: { previousStart: 7 } });
  });

  it.each([
    [{ time: { previousStart: 5 } }, 5],
    [{ time: { previousStart: '5.9' } }, 5],
    [{ time: { previousStart: 'never' } }, 0],
    [{ time: [] }, 0],
    [{}, 0],
  ])('of %j the last run started at %d', (state, seconds) => {
    expect(previousStartOf(state)).toBe(seconds);
  });
});

const placeOf = (id: string): JobPlace => ({ id, dataType: id, path: `at.${id}` });
/** A job that asks only for what is new, and those below it. */
const asking = (id: string, ...below: readonly string[]): OutputPlan =>
  anOutput({ incrementalJobs: [{ ...placeOf(id), field: 'at', param: 'since', lag: 0, below: below.map(placeOf) }] });
const ended = (ends: Readonly<Record<string, Outcome | 'accepted'>>) =>
  Object.entries(ends).map(([id, end]) => ({
    ...{ id, path: `at.${id}` },
    ...(end === 'accepted' ? { outcome: 'doubtful' as const, isAccepted: true as const } : { outcome: end }),
  }));

describe('a job that asks only for what is new', () => {
  const outputs = [asking('orders', 'lines', 'marks'), asking('orders', 'lines'), anOutput()];
  const whole = (ends: Readonly<Record<string, Outcome | 'accepted'>>) => {
    const { isWhole, lackingBelow } = completeJobs(outputs, ended(ends));
    return [isWhole('orders'), lackingBelow('orders')];
  };

  it('counts as having come where it came, and all below it, as far as the configuration wants them', () => {
    expect(whole({})).toEqual([true, []]);
    expect(whole({ orders: 'complete', lines: 'stopped', marks: 'complete', other: 'failed' })).toEqual([true, []]);
    expect(whole({ orders: 'stopped' })).toEqual([true, []]);
    expect(whole({ orders: 'accepted' })).toEqual([false, []]);
    expect(whole({ orders: 'doubtful', lines: 'doubtful' })).toEqual([false, []]);
    expect(whole({ orders: 'failed' })).toEqual(['failed', []]);
  });

  it('counts as not having come where a job below it lacks anything, each named once', () => {
    expect(whole({ orders: 'complete', lines: 'accepted' })).toEqual(['failed', ['at.lines']]);
    expect(whole({ orders: 'accepted', lines: 'accepted', marks: 'failed' })).toEqual([
      'failed',
      ['at.lines', 'at.marks'],
    ]);
  });

  it('is judged by its own end where nothing is known of jobs below it', () => {
    expect(completeJobs([anOutput()], ended({ orders: 'accepted' })).isWhole('orders')).toBe(false);
  });
});
