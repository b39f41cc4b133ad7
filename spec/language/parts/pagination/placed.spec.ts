import fc from 'fast-check';
import { parseList } from '../../../../src/core/json/parse';
import { stringifyJson } from '../../../../src/core/json/stringify';
import type { Json, JsonObject } from '../../../../src/core/model';
import type { Place } from '../../../../src/language/parts/pagination/place';
import { misfit, ownAt, placed, requireRoom, withoutPlace } from '../../../../src/language/parts/pagination/placed';
import { anyJson, anyObject } from '../../../core/json/arbitrary-json';
import { jobFacts } from '../../../support/pagination';

const GRAPH: JsonObject = { query: '{ ships }', variables: { first: 2, filter: { a: 1 } } };
const job = jobFacts({ params: { q: 'x' } });
const set = (place: Place, value: Json, facts = job): object => placed(facts, [{ place, value }]);

describe('values at their places', () => {
  it('a name is a parameter, in place of one of that name', () => {
    expect(set('page', 3)).toEqual({ params: { q: 'x', page: 3 } });
    expect(Object.keys(set('q', 3, jobFacts({ params: { q: 'x', z: 1 } })))).toEqual(['params']);
  });

  it('keys lead into a parameter, and other members stay as they are', () => {
    expect(set(['variables', 'offset'], 4, jobFacts({ params: GRAPH }))).toEqual({
      params: { ...GRAPH, variables: { first: 2, filter: { a: 1 }, offset: 4 } },
    });
    expect(set(['a', 'b', 'c'], 4)).toEqual({ params: { q: 'x', a: { b: { c: 4 } } } });
  });

  it('keys lead into the body where the job has one; names do not', () => {
    const facts = jobFacts({ params: { q: 'x' }, body: GRAPH });
    expect(set(['variables', 'offset'], 4, facts)).toEqual({
      params: { q: 'x' },
      body: { ...GRAPH, variables: { first: 2, filter: { a: 1 }, offset: 4 } },
    });
    expect(set('offset', 4, facts)).toEqual({ params: { q: 'x', offset: 4 } });
    expect(set(['search_after'], [1, 'x'], facts)).toEqual({
      params: { q: 'x' },
      body: { ...GRAPH, search_after: [1, 'x'] },
    });
  });

  it('numbers and the order of keys around a value stay as they were written', () => {
    const [body = null] = parseList(['{"10":1.50,"2":{"z":1E5,"a":9007199254740993}}'], 'spelling');
    expect(stringifyJson((set(['2', 'b'], 1, jobFacts({ body })) as { body: Json }).body)).toBe(
      '{"10":1.50,"2":{"z":1E5,"a":9007199254740993,"b":1}}',
    );
  });

  it('an empty array counts as an empty object', () => {
    expect(set(['v', 'a'], 1, jobFacts({ params: { v: [] } }))).toEqual({ params: { v: { a: 1 } } });
    expect(set(['v', 'a'], 1, jobFacts({ params: { v: null } }))).toEqual({ params: { v: { a: 1 } } });
  });

  it('templates', () => {
    const beside = { to: 49, limit: 25 };
    const range = { place: { header: 'range', template: 'items={from}-{to}' }, value: 25, beside };
    expect(placed(job, [range])).toEqual({ params: { q: 'x' }, headers: { range: 'items=25-49' } });
    expect(set({ param: 'q', template: '(page:{value},page_size:100)' }, 3)).toEqual({
      params: { q: '(page:3,page_size:100)' },
    });
    expect(set({ param: ['v', 'key'], template: '{json}' }, ['a"b', 9007199254740993n])).toEqual({
      params: { q: 'x', v: { key: '["a\\"b",9007199254740993]' } },
    });
    expect(set({ param: 'q', template: '<{value}>' }, '$& {value}')).toEqual({ params: { q: '<$& {value}>' } });
  });

  it('a value that a header cannot hold ends the run, and is not shown', () => {
    const place = { header: 'x-after', template: '{value}' };
    for (const value of ['a\r\nevil: 1', 'ж', '\0'])
      expect(() => set(place, value)).toThrow(
        'config.jobs[0]: the value for the next page cannot be sent in the header x-after: it has a character that HTTP does not allow there',
      );
    expect(set(place, 'é')).toMatchObject({ headers: { 'x-after': 'é' } });
  });

  it('what is set can be read, and taken away again; all else stays', () => {
    const keys = fc.array(fc.constantFrom('a', 'b', 'c', '__proto__', '10'), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(anyObject, fc.option(anyObject, { nil: undefined }), keys, anyJson, (params, body, place, value) => {
        const facts = jobFacts({ params, ...(body === undefined ? {} : { body }) });
        if (misfit(facts, place) !== undefined) {
          expect(() => requireRoom(facts, [place])).toThrow();
          return;
        }
        const { headers, ...change } = placed(facts, [{ place, value }]);
        expect(headers).toBeUndefined();
        const after = { ...facts, ...change };
        expect(ownAt(after, place).value).toEqual(value);
        if (body !== undefined) expect(after.params).toBe(params);
        const bare = { ...after, ...withoutPlace(after, place) };
        expect(ownAt(bare, place).value).toBeUndefined();
        if (ownAt(facts, place).value === undefined && place.length === 1)
          expect([bare.params, bare.body]).toEqual([params, body]);
      }),
    );
  });
});

describe('what stands in the way of a place', () => {
  it.each<[object, Place, string | undefined]>([
    [{ params: { v: 'x' } }, ['v', 'a'], 'params.v'],
    [{ params: { v: [1] } }, ['v', 'a'], 'params.v'],
    [{ params: { v: { a: 0 } } }, ['v', 'a', 'b'], 'params.v.a'],
    [{ params: {}, body: [1] }, ['v'], 'body'],
    [{ params: {}, body: { v: 'x' } }, ['v', 'a'], 'body.v'],
    [{ params: { v: 'x' }, body: {} }, ['v', 'a'], undefined],
    [{ params: { v: 'x' } }, { param: ['v', 'a'], template: '{value}' }, 'params.v'],
    [{ params: { v: { a: { old: 1 } } } }, ['v', 'a'], undefined],
    [{ params: { v: 'x' } }, 'v', undefined],
    [{ params: { v: 'x' } }, { header: 'v', template: '{value}' }, undefined],
  ])('%j, %j: %s', (changes, place, path) => {
    const facts = jobFacts(changes);
    expect(misfit(facts, place)?.path).toBe(path);
    if (path !== undefined)
      expect(() => requireRoom(facts, [place])).toThrow(`config.jobs[0].${path}: pagination sets`);
  });
});
