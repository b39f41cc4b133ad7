import fc from 'fast-check';
import { decode } from '../../src/http/body/decode';
import { stringifyJson } from '../../src/core/json/stringify';
import type { Headers, Json } from '../../src/core/model';
import type { StopsPlan } from '../../src/plan/plan';
import { checkStops, verdictOf } from '../../src/sources/stops';
import type { StopFacts, Verdict } from '../../src/sources/stops';
import { aResponse, secretsOf } from '../support/requests';

type Changes = Partial<Omit<StopFacts, 'reply'>> & { readonly data?: Json | undefined; readonly headers?: Headers };
const facts = ({ data, headers = {}, ...changes }: Changes = { data: {} }): StopFacts => ({
  reply: { response: aResponse({ headers }), data },
  items: 2,
  count: 2,
  pages: 1,
  volume: 0,
  startedAt: 1000,
  now: 1000,
  ...changes,
});
const check = (stops: StopsPlan, changes: Changes = {}): Verdict =>
  checkStops([stops], facts({ data: {}, ...changes }));
const GO_ON = { kind: 'go-on', volume: 0 };
type Why = Extract<Verdict, { kind: 'stop' }>['why'];
const stopped = (because: string, why: Why = 'wanted'): Verdict => ({ kind: 'stop', why, because });

const reached = (count: number, limit: string, why: Why): Verdict =>
  stopped(`Limit reached, stopping scrolling. Current count: ${count}, limit: ${limit}`, why);

describe('language 5.2 limitStop', () => {
  it('count: goes on below it', () => {
    expect(check({ limitStop: { count: 3 } })).toEqual(GO_ON);
  });

  it.each([3, 4])('count: stops with %i items of 3', (items) => {
    expect(check({ limitStop: { count: 3 } }, { items })).toEqual(reached(items, '3', 'wanted'));
  });

  it('field: the number at a path of the response', () => {
    const data = { pager: { total: 4 } };
    expect(check({ limitStop: { path: 'pager.total' } }, { data, items: 3 })).toEqual(GO_ON);
    expect(check({ limitStop: { path: 'pager.total' } }, { data, items: 4 })).toEqual(reached(4, '4', 'counted'));
  });

  it.each<[string, Json]>([
    ['numeric strings are accepted', '3'],
    ['integers beyond 2^53 as well', 9007199254740993n],
  ])('field: %s', (_, total) => {
    expect(check({ limitStop: { path: 'total' } }, { data: { total }, items: 2 })).toEqual(GO_ON);
  });

  it('field: a total of 0 stops', () => {
    expect(check({ limitStop: { path: 'total' } }, { data: { total: 0 }, items: 0 })).toEqual(
      reached(0, '0', 'counted'),
    );
  });

  it.each<[string, Json | undefined]>([
    ['missing', {}],
    ['null', { total: null }],
    ['no number', { total: 'many' }],
    ['missing since the body was empty', undefined],
    ['missing since the response is a list', [1]],
  ])('field: stops after the first page when it is %s, and says so', (_, data) => {
    const because = "none, since 'total' of the response is no number";
    expect(check({ limitStop: { path: 'total' } }, { data })).toEqual(reached(2, because, 'unsure'));
  });
});

describe('limitStop.header', () => {
  const limitStop = { header: 'content-range' };

  it.each([
    ['3', 'counted'],
    ['items 0-1/3', 'counted'],
    ['items 0-1/ 3 ', 'counted'],
    ['bytes */3', 'counted'],
    ['items 0-1/*', 'unsure'],
    ['items 0-1/3 or more', 'unsure'],
    ['', 'unsure'],
  ])('%j: the number, or what follows the slash', (header, why) => {
    const headers = { 'content-range': header };
    expect(check({ limitStop }, { headers, items: 3 })).toMatchObject({ kind: 'stop', why });
    if (why === 'counted') expect(check({ limitStop }, { headers, items: 2 })).toEqual(GO_ON);
  });

  it('a missing header ends the job, and says so', () => {
    expect(check({ limitStop })).toEqual(reached(2, 'none, since the header content-range is no number', 'unsure'));
  });
});

describe('stopWhenEmpty', () => {
  it('ends at a page without items, and nowhere else', () => {
    expect(check({ stopWhenEmpty: true }, { count: 1 })).toEqual(GO_ON);
    expect(check({ stopWhenEmpty: false }, { count: 0 })).toEqual(GO_ON);
    expect(check({ stopWhenEmpty: true }, { count: 0 })).toEqual(
      stopped('Stopping scrolling because the page has no items.', 'ended'),
    );
  });
});

describe('language 5.2 forceStop', () => {
  it('pages: stops after as many', () => {
    expect(check({ forceStop: { pages: 2 } }, { pages: 1 })).toEqual(GO_ON);
    const because = 'Force stopping: page limit reached (2 pages).';
    expect(check({ forceStop: { pages: 2 } }, { pages: 2 })).toEqual(stopped(because));
  });

  it('time: stops when start + time <= now', () => {
    expect(check({ forceStop: { seconds: 60 } }, { now: 1059.9 })).toEqual(GO_ON);
    const because = 'Force stopping: time limit reached (60 seconds).';
    expect(check({ forceStop: { seconds: 60 } }, { now: 1060 })).toEqual(stopped(because));
  });

  it('volume: stops when the sum is greater than it', () => {
    const data = { items: ['ab'] };
    const size = '{"items":["ab"]}'.length;
    expect(check({ forceStop: { volume: size } }, { data })).toEqual({ kind: 'go-on', volume: size });
    const because = `Force stopping: volume limit reached (${size} bytes).`;
    expect(check({ forceStop: { volume: size } }, { data, volume: 1 })).toEqual(stopped(because));
  });

  it('volume: counts bytes of minified JSON', () => {
    const go = (data: Json | undefined): Verdict => check({ forceStop: { volume: 1000 } }, { data, volume: 10 });
    expect(go({ name: 'Žluť', id: 9007199254740993n })).toEqual({ kind: 'go-on', volume: 10 + 39 });
    expect(go(undefined)).toEqual({ kind: 'go-on', volume: 10 });
  });

  it('volume: is the sum over all pages, and stops at the first page beyond the limit', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), fc.nat(200), (pages, limit) => {
        let verdict: Verdict = { kind: 'go-on', volume: 0 };
        let sum = 0;
        for (const data of pages) {
          if (verdict.kind === 'stop') break;
          sum += Buffer.byteLength(JSON.stringify(data));
          verdict = check({ forceStop: { volume: limit } }, { data, volume: verdict.volume });
          expect(verdict.kind).toBe(sum > limit ? 'stop' : 'go-on');
        }
      }),
    );
  });

  it('sizes are not computed unless a volume is limited', () => {
    const ownKeys = (): never => {
      throw new Error('the response was looked at');
    };
    const data = new Proxy({}, { ownKeys });
    expect(check({ forceStop: { pages: 9, seconds: 9 }, limitStop: { count: 9 } }, { data })).toEqual(GO_ON);
    expect(() => check({ forceStop: { volume: 9 } }, { data })).toThrow('the response was looked at');
  });

  it('any of the three stops; pages come before time, time before volume', () => {
    const forceStop = { pages: 1, seconds: 0, volume: 1 };
    expect(check({ forceStop })).toMatchObject({ because: expect.stringContaining('page limit') as unknown });
    expect(check({ forceStop }, { pages: 0 })).toMatchObject({
      because: expect.stringContaining('time limit') as unknown,
    });
    expect(check({ forceStop }, { pages: 0, now: 999 })).toMatchObject({
      because: expect.stringContaining('volume limit') as unknown,
    });
  });
});

describe('language 5.2 nextPageFlag', () => {
  const flag = (stopOn: boolean, ifNotSet = stopOn): StopsPlan => ({
    nextPageFlag: { field: 'more', stopOn, ifNotSet },
  });
  const because = (value: boolean, why: Why = 'ended'): Verdict =>
    stopped(`Stopping scrolling because 'more' is '${value}'`, why);

  it.each<[Json]>([[false], [0], [''], ['0'], [[]]])('%j is false', (more) => {
    expect(check(flag(false), { data: { more } })).toEqual(because(false));
    expect(check(flag(true), { data: { more } })).toEqual(GO_ON);
  });

  it.each<[Json]>([[true], [1], ['no'], ['false'], [{}], [[0]], ['0.0'], [9007199254740993n]])('%p is true', (more) => {
    expect(check(flag(true), { data: { more } })).toEqual(because(true));
    expect(check(flag(false), { data: { more } })).toEqual(GO_ON);
  });

  it.each<[string, Json | undefined]>([
    ['missing', {}],
    ['null', { more: null }],
    ['in a list', [{ more: true }]],
    ['in an empty body', undefined],
    ['in a scalar', 'more'],
    ['inherited', Object.create({ more: true }) as Json],
  ])('%s: ifNotSet decides', (_, data) => {
    expect(check(flag(true, true), { data })).toEqual(because(true, 'unsure'));
    expect(check(flag(true, false), { data })).toEqual(GO_ON);
    expect(check(flag(false, false), { data })).toEqual(because(false, 'unsure'));
    expect(check(flag(false, true), { data })).toEqual(GO_ON);
  });

  it.each<[string, Json, string]>([
    ['beside the items', { more: true, items: [1] }, 'items'],
    ['that is the array of the items', { more: [1] }, 'more'],
    ['above the items', { more: { items: [1] } }, 'more.items'],
    ['beside items that are the whole', [1], '.'],
  ])('reads a field %s of a response that has not been parsed', (_, data, path) => {
    const items = { path, delimiter: '.' };
    const reading = decode({ ignoreErrors: [], report: () => undefined, secrets: secretsOf(), contentTypes: [] });
    const reply = reading(aResponse({ text: stringifyJson(data) }), { items });
    expect(reply.raw).toBeDefined();
    const isThere = !Array.isArray(data);
    expect(checkStops([flag(true, false)], { ...facts(), reply }).kind).toBe(isThere ? 'stop' : 'go-on');
  });

  it('field is a key of the root, not a path', () => {
    const nextPageFlag = { field: 'a.more', stopOn: true, ifNotSet: false };
    expect(check({ nextPageFlag }, { data: { a: { more: true } } })).toEqual(GO_ON);
    expect(check({ nextPageFlag }, { data: { 'a.more': true } }).kind).toBe('stop');
  });
});

describe('the extension nextPageFlag.path', () => {
  const at = { nextPageFlag: { path: 'meta.more', stopOn: false, ifNotSet: false } };
  it.each<[string, Json, Verdict]>([
    ['false', { meta: { more: false } }, stopped("Stopping scrolling because 'meta.more' is 'false'", 'ended')],
    ['true', { meta: { more: true } }, { kind: 'go-on', volume: 0 }],
    ['missing', { more: true }, stopped("Stopping scrolling because 'meta.more' is 'false'", 'unsure')],
  ])('%s', (_, data, verdict) => expect(check(at, { data })).toEqual(verdict));
});

describe('language 5.2 the order of the stops', () => {
  const limitStop = { count: 2 };
  const forceStop = { pages: 1 };
  const nextPageFlag = { field: 'more', stopOn: false, ifNotSet: false };
  const beginning = (verdict: Verdict): string => (verdict.kind === 'stop' ? verdict.because.slice(0, 5) : 'go on');

  it('limitStop, forceStop, nextPageFlag: the first that stops gives the line', () => {
    expect(beginning(check({ nextPageFlag, forceStop, limitStop }))).toBe('Limit');
    expect(beginning(check({ nextPageFlag, forceStop }))).toBe('Force');
    expect(beginning(check({ nextPageFlag }))).toBe('Stopp');
  });

  it('goes on when none is configured', () => {
    expect(check({})).toEqual(GO_ON);
    expect(checkStops([], facts())).toEqual(GO_ON);
  });

  it('gathers no facts where none is configured, and keeps the bytes', () => {
    const gather = jest.fn(() => facts());
    expect(verdictOf([], 7, gather)).toEqual({ kind: 'go-on', volume: 7 });
    expect(gather).not.toHaveBeenCalled();
    expect(verdictOf([{ limitStop }], 7, gather).kind).toBe('stop');
  });

  it('language 5.9: those of all places apply, the outer ones first', () => {
    expect(beginning(checkStops([{ nextPageFlag }, { limitStop }], facts()))).toBe('Stopp');
    expect(beginning(checkStops([{}, { limitStop }], facts()))).toBe('Limit');
    expect(beginning(checkStops([{ forceStop: { volume: 1 } }, {}], facts()))).toBe('Force');
    expect(checkStops([{ forceStop: { volume: 9 } }, { forceStop: { volume: 5 } }], facts())).toEqual({
      kind: 'go-on',
      volume: 2,
    });
  });
});
