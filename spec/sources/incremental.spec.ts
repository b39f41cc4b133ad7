import { lastValueFrom, toArray } from 'rxjs';
import { extract, parseJson } from '../../src';
import type { JsonObject } from '../../src';
import { keysOf } from '../../src/json/keys';
import { stringifyJson } from '../../src/json/stringify';
import { cursorIn, withCursor } from '../../src/sources/incremental';
import * as answers from '../support/answers';
import { startServer } from '../support/api-server';

const job = (param: string) => ({ id: 'a', incremental: { field: 'at', param, initial: 'x', lag: 0, iteration: '' } });
const NOTHING = new Map();
const NOW = Date.parse('2024-05-02T00:00:00Z') / 1000;

describe('docs/extensions/incremental.md: the parameter of a job that asks only for what is new', () => {
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

describe('how far the items of a page come', () => {
  const cursorOf = (...items: JsonObject[]) => cursorIn(job('since').incremental, undefined, { items }, NOW);

  it.each([
    [[1, 2, 2, 3], { value: 3, least: 1, ascends: true }],
    [[3, 1, 2], { value: 3, least: 1, ascends: false }],
    [[2, null, '', 9007199254740993n], { value: 9007199254740993n, least: 2, ascends: true }],
    [['2024-05-01T00:00:00Z', '2024-05-01T01:00:00+02:00'], { value: '2024-05-01T00:00:00Z', ascends: false }],
  ])('of %p', (values, expected) => {
    expect(cursorOf(...values.map((at) => ({ at })))).toMatchObject({ parent: '', ...expected });
  });

  it.each([
    ['2024-05-03T00:00:01Z', '2024-05-01', true],
    ['2999-12-31', '2024-05-01', true],
    ['2024-05-03T00:00:00Z', '2024-05-03T00:00:00Z', undefined],
    [2999, 2999, undefined],
  ])('passes a day of the future over: %j', (at, value, isAhead) => {
    const past = { at: '2024-05-01' };
    expect(cursorOf(...(typeof at === 'string' ? [past] : []), { at })).toMatchObject({ value });
    expect(cursorOf(...(typeof at === 'string' ? [past] : []), { at })?.isAhead).toBe(isAhead);
  });

  it('is nothing where no item has an order', () => {
    expect(cursorOf({ at: null }, { at: true }, {})).toBeUndefined();
  });
});
