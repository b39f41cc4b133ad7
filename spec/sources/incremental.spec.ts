import { lastValueFrom, toArray } from 'rxjs';
import { extract, parseJson } from '../../src';
import type { JsonObject } from '../../src';
import { keysOf } from '../../src/core/json/objects';
import { stringifyJson } from '../../src/core/json/stringify';
import type { Cursors, Json } from '../../src/core/model';
import { areUnordered, cursorIn, startBy, withCursor } from '../../src/sources/incremental';
import * as answers from '../support/answers';
import { startServer } from '../support/api-server';

const job = (param: string) => ({
  id: 'a',
  incremental: { field: 'at', param, initial: 'x', older: 'keep' as const, by: undefined, lag: 0, iteration: '' },
});
const NOTHING = new Map();
const nested = (path: string, value: number): JsonObject => {
  const [key = '', ...below] = path.split('.');
  return { [key]: below.length === 0 ? value : nested(below.join('.'), value) };
};
const NOW = Date.parse('2024-05-02T00:00:00Z') / 1000;

describe('docs/language/incremental.md: the parameter of a job that asks only for what is new', () => {
  it.each([
    ['a new one stands last', 'since', ['b', '10', '2', 'since']],
    ['one that is there keeps its place', '10', ['b', '10', '2']],
  ])('%s, and the others keep theirs, whatever they look like', (_, param, order) => {
    const params = parseJson('{"b":1,"10":"old","2":3}') as JsonObject;
    const sent = withCursor(job(param), params, NOTHING, undefined);
    expect(keysOf(sent)).toEqual(order);
    expect(sent[param]).toBe('x');
    expect(params['10']).toBe('old');
  });

  it('numbers beside it keep their digits', () => {
    const params = parseJson('{"n":12345678901234567.25}') as JsonObject;
    expect(stringifyJson(withCursor(job('since'), params, NOTHING, undefined))).toBe(
      '{"n":12345678901234567.25,"since":"x"}',
    );
  });

  it('is sent where the configuration has it', async () => {
    const server = await startServer(() => answers.json([]));
    const config = parseJson(
      `{"api":{"baseUrl":"${server.origin}"},"config":{"jobs":[{"endpoint":"a","params":{"b":1,"10":2,"2":3},` +
        `"incremental":{"field":"at","param":"since","initial":"x"}}]}}`,
    );
    await lastValueFrom(extract(config, { lenient: true }).items$.pipe(toArray()));
    expect(server.requests.map(({ url }) => url)).toEqual(['/a?b=1&10=2&2=3&since=x']);
  });
});

describe('docs/language/incremental.md: older, at a list with the newest first', () => {
  const DAYS = [9, 8, 7, 6, 5, 4, 3, 2, 1];
  const SIZE = 3;
  const FORMATS: readonly (readonly [string, JsonObject, (day: number) => Json, Json])[] = [
    ['numbers', {}, (day) => day, 5],
    ['dates in a format', { format: '%d.%m.%Y' }, (day) => `0${day}.05.2024`, '2024-05-05T00:00:00Z'],
    ['seconds', { format: '%s' }, (day) => Date.UTC(2024, 4, day) / 1000, '2024-05-05T00:00:00Z'],
  ];
  const run = async (incremental: JsonObject, at: (day: number) => Json, lacking: readonly number[] = []) => {
    const server = await startServer(({ url }) => {
      const from = Number(new URL(url, 'http://api.test').searchParams.get('offset'));
      const days = DAYS.slice(from, from + SIZE);
      return answers.json(days.map((day) => (lacking.includes(day) ? { day } : { day, at: at(day) })));
    });
    const pagination = { method: 'offset', limit: SIZE };
    const config = {
      api: { baseUrl: server.origin, pagination },
      config: { jobs: [{ endpoint: 'days', incremental: { field: 'at', ...incremental } }] },
    };
    const items = await lastValueFrom(extract(config).items$.pipe(toArray()));
    await server.close();
    return { days: items.map((item) => (item as { readonly day: number }).day), requests: server.requests.length };
  };

  describe.each(FORMATS)('%s', (_, format, at, initial) => {
    it('keep: all items come', async () => {
      expect(await run({ ...format, initial }, at)).toEqual({ days: DAYS, requests: 4 });
    });

    it('drop: items from before the position do not come; those at the position do', async () => {
      expect(await run({ ...format, initial, older: 'drop' }, at)).toEqual({ days: [9, 8, 7, 6, 5], requests: 4 });
    });

    it('end: a page whose last item is from before the position is the last one', async () => {
      expect(await run({ ...format, initial, older: 'end' }, at)).toEqual({ days: [9, 8, 7, 6, 5], requests: 2 });
    });

    it('items without the field, and all items where there is no position, come', async () => {
      expect(await run({ ...format, initial, older: 'drop' }, at, [2, 1])).toMatchObject({
        days: [9, 8, 7, 6, 5, 2, 1],
      });
      expect(await run({ ...format, older: 'drop' }, at)).toMatchObject({ days: DAYS });
    });
  });

  it('items with another form than the format come, and end nothing', async () => {
    const at = (day: number): Json => (day === 4 ? 'soon' : day === 3 ? { day } : `0${day}.05.2024`);
    const incremental = { format: '%d.%m.%Y', initial: '2024-05-05T00:00:00Z', older: 'drop' };
    expect(await run(incremental, at)).toMatchObject({ days: [9, 8, 7, 6, 5, 4, 3] });
  });
});

describe('how far the items of a page come', () => {
  const cursorOf = (...items: JsonObject[]) => cursorFrom(NOTHING, 'at', ...items);
  const cursorFrom = (cursors: Cursors, field: string, ...items: JsonObject[]) => {
    const { id, incremental } = job('since');
    return cursorIn({ id, incremental: { ...incremental, field } }, undefined, { items }, { startedAt: NOW, cursors });
  };

  it.each([
    [[1, 2, 2, 3], { value: 3, least: 1, ascends: true }],
    [[3, 1, 2], { value: 3, least: 1, ascends: false }],
    [[2, null, '', 9007199254740993n], { value: 9007199254740993n, least: 2, ascends: true }],
    [['2024-05-01T00:00:00Z', '2024-05-01T01:00:00+02:00'], { value: '2024-05-01T00:00:00Z', ascends: false }],
  ])('of %p', (values, expected) => {
    expect(cursorOf(...values.map((at) => ({ at })))).toMatchObject({ parent: '', ...expected });
  });

  it('of dates in a format, to the microsecond, in ISO 8601', () => {
    const { id, incremental } = job('since');
    const format = ['%d.%m.%Y %H:%M:%S.%f%z', '%s'];
    const items = [
      '01.05.2024 02:00:00.000007+0200',
      '1714000000',
      'x',
      null,
      '30.04.2024 23:00:00.5+0000',
      '31.12.2999 00:00:00.0+0000',
    ];
    expect(
      cursorIn(
        { id, incremental: { ...incremental, format } },
        undefined,
        { items: items.map((at) => ({ at })) },
        { startedAt: NOW, cursors: NOTHING },
      ),
    ).toEqual({
      parent: '',
      value: '2024-05-01T00:00:00.000007+00:00',
      least: '2024-04-24T23:06:40+00:00',
      ascends: false,
      isAhead: true,
    });
  });

  it('of items in bytes, without parsing them', () => {
    const values = jest.fn(() => [1, 3, 2]);
    const items = {
      values,
      get items(): never {
        throw new Error('parsed');
      },
    };
    expect(cursorIn(job('since'), undefined, items, { startedAt: NOW, cursors: NOTHING })).toMatchObject({
      value: 3,
      least: 1,
    });
  });

  it.each([
    ['2024-05-03T00:00:01Z', '2024-05-01', true],
    ['2999-12-31', '2024-05-01', true],
    [2999, 2999, undefined],
  ])('passes a day of the future over: %j', (at, value, isAhead) => {
    const past = { at: '2024-05-01' };
    expect(cursorOf(...(typeof at === 'string' ? [past] : []), { at })).toMatchObject({ value });
    expect(cursorOf(...(typeof at === 'string' ? [past] : []), { at })?.isAhead).toBe(isAhead);
  });

  it.each([
    ['seconds', [1704067200, 32503680000], 1704067200, true],
    ['milliseconds', [1704067200000, 32503680000000], 1704067200000, true],
    ['strings of seconds', ['1704067200', '32503680000'], '1704067200', true],
    ['large integers', [1704067200n, 32503680000n], 1704067200n, true],
    ['numbers none of which is a time', [5, 32503680000], 32503680000, undefined],
    ['numbers that are all beyond the present', [22503680000, 32503680000], 32503680000, undefined],
    ['numbers beyond all years', [1704067200, 932503680000], 932503680000, undefined],
  ])('passes Unix times of the future over: %s', (_, values, value, isAhead) => {
    const cursor = cursorOf(...values.map((at) => ({ at })));
    expect(cursor).toMatchObject({ value });
    expect(cursor?.isAhead).toBe(isAhead);
  });

  it.each<[string, Json, Json]>([
    ['a time', '2024-05-02T01:00:00Z', '2024-05-02T00:00:00Z'],
    ['a time with a fraction', '2024-05-02T00:00:00.250Z', '2024-05-01T23:59:59.250Z'],
    ['a time in another zone', '2024-05-02T03:00:00+02:00', '2024-05-02T02:00:00+02:00'],
    ['a time without seconds', '2024-05-02 12:30', '2024-05-02 00:00'],
    ['a time a day later', '2024-05-03T00:00:00Z', '2024-05-02T00:00:00Z'],
    ['a date', '2024-05-03', '2024-05-02'],
    ['Unix seconds', NOW + 3600, NOW],
    ['Unix seconds with a fraction', NOW + 0.5, NOW - 0.5],
    ['a string of Unix seconds', String(NOW + 3600), String(NOW)],
    ['Unix milliseconds', (NOW + 3600) * 1000, NOW * 1000],
    ['a large integer of Unix milliseconds', BigInt(NOW + 86_400) * 1000n, BigInt(NOW) * 1000n],
  ])('is the start of the run, as the API writes it, for %s after it', (_, at, value) => {
    expect(cursorOf({ at })).toEqual({ parent: '', value, least: at, furthest: at, ascends: true });
  });

  it.each<[string, Json]>([
    ['a time at the start of the run', '2024-05-02T00:00:00Z'],
    ['a date of the day of the start', '2024-05-02'],
    ['an integer that counts something', 5],
    ['a number beyond all times', 932503680000],
    ['a text', 'zzz'],
  ])('is %s as it is', (_, at) => {
    expect(cursorOf({ at })).toEqual({ parent: '', value: at, least: at, ascends: true });
  });

  it('takes no number of the field id for a time after the start of the run', () => {
    expect(cursorFrom(NOTHING, 'id', { id: NOW + 3600 })).toMatchObject({ value: NOW + 3600 });
  });

  it('knows Unix times by what the last run came to, too', () => {
    const cursors = new Map([['a', new Map([['', 1704067200]])]]);
    expect(cursorFrom(cursors, 'at', { at: 32503680000 })).toBeUndefined();
    expect(cursorOf({ at: 32503680000 })).toMatchObject({ value: 32503680000 });
  });

  it.each(['id', 'order_id', 'orderId', 'meta.version', 'seq'])(
    'takes no number of the field %s for a time',
    (field) => {
      const items = [1704067200, 32503680000].map((at) => nested(field, at));
      expect(cursorFrom(NOTHING, field, ...items)).toMatchObject({ value: 32503680000 });
    },
  );

  it('is nothing where no item has an order', () => {
    expect(cursorOf({ at: null }, { at: true }, {})).toBeUndefined();
  });
});

describe('the start of a run by the clock of the server', () => {
  const date = (seconds: number) => ({ date: new Date(seconds * 1000).toUTCString() });

  it.each([
    ['is ahead', { headers: date(NOW + 3605), receivedAt: (NOW + 5) * 1000 }, NOW + 3600],
    ['is behind', { headers: date(NOW - 3595), receivedAt: (NOW + 5) * 1000 }, NOW - 3600],
    ['is the same', { headers: date(NOW + 5), receivedAt: (NOW + 5) * 1000 }, NOW],
    ['is not told', { headers: {}, receivedAt: (NOW + 5) * 1000 }, NOW],
    ['is told by what is no date', { headers: { date: '5' }, receivedAt: (NOW + 5) * 1000 }, NOW],
    ['was read when a response of the cache was made', { headers: date(NOW - 500) }, NOW - 500],
    ['was read when a streamed response began', { headers: date(NOW + 5) }, NOW],
  ])('which %s', (_, response, expected) => {
    expect(startBy(response, NOW)).toBe(expected);
  });
});

describe('values that nobody can put in order', () => {
  it.each<[Json]>([
    ['12/31/2025'],
    ['31.12.2025'],
    ['1-2-2025'],
    ['12/31/25'],
    ['12/31/2025 10:00:00'],
    ['12/31/2025, 1:00 PM'],
    ['31.12.2025T10:00'],
    ['03 Nov 2026'],
    ['3-Nov-26'],
    ['3. November 2026'],
    ['Mon, 01 Jan 2024 00:00:00 GMT'],
    ['Nov 3, 2026'],
    ['Wed Oct 10 20:19:24 +0000 2018'],
    ['2026-1-31'],
    ['2026-01-1 10:00'],
    ['2026-01-31 1:00 PM'],
  ])('are dates such as %j', (value) => expect(areUnordered([undefined, value])).toBe(true));

  it.each<[readonly Json[]]>([
    [['2024-05-01', 1714521600]],
    [['1714521600', '2024-05-01T10:00:00Z']],
    [['2024-05-01', '05/02/2024']],
  ])('are %j', (values) => expect(areUnordered(values)).toBe(true));

  it.each<[readonly Json[]]>([
    [[]],
    [[1, 2n, '3', '4.5']],
    [['2024-05-01', '2024-05-01T10:00:00Z', '2024-05-01 10:00:00+00', '20240501T100000Z']],
    [['01HV5S1Y7Q4Z3T9N8XKJ6M2P0R', '0001', 'a-12/31/2025']],
    [['1.2.34', '10.20.30', '12/34/56/78', '12-31-2025-7', '3f2504e0-4f89-11d3-9a0c-0305e82c3301']],
    [['2024-W05', '2024Q1', '2024-05', 'May', 'decade 12 of 20']],
    [['/Date(1704067200000)/']],
  ])('are not %j', (values) => expect(areUnordered(values)).toBe(false));
});
