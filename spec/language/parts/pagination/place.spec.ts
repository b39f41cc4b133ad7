import fc from 'fast-check';
import { isRight } from 'fp-ts/Either';
import { parseList } from '../../../../src/core/json/parse';
import { stringifyJson } from '../../../../src/core/json/stringify';
import type { Json, JsonObject } from '../../../../src/core/model';
import { findingsOf } from '../../../../src/language/codec/codec';
import {
  clash,
  misfit,
  ownAt,
  place,
  placed,
  requireRoom,
  shows,
  withoutPlace,
} from '../../../../src/language/parts/pagination/place';
import type { Place } from '../../../../src/language/parts/pagination/place';
import { anyJson, anyObject } from '../../../core/json/arbitrary-json';
import { jobFacts } from '../../../support/pagination';
import { configuration, faults, warnings } from '../../configuration/support';

const codec = place('from', 'to', 'limit');
const read = (written: Json): Place | readonly string[] => {
  const result = codec.decode(written);
  return isRight(result) ? result.right : findingsOf(result.left).map(({ message }) => message);
};

describe('where a value stands in a request', () => {
  it.each<[Json, Place]>([
    ['offset', 'offset'],
    [7, '7'],
    [
      ['variables', 'offset'],
      ['variables', 'offset'],
    ],
    [
      { header: 'Range', template: 'items={from}-{to}' },
      { header: 'range', template: 'items={from}-{to}' },
    ],
    [{ header: 'X-After' }, { header: 'x-after', template: '{value}' }],
    [
      { param: 'q', template: '(page:{value})' },
      { param: 'q', template: '(page:{value})' },
    ],
    [
      { param: ['body', 'q'], template: '"{json}"' },
      { param: ['body', 'q'], template: '"{json}"' },
    ],
    [{ param: ['variables', 'after'] }, { param: ['variables', 'after'] }],
    [
      { param: 'q', template: '{"at":{value}}' },
      { param: 'q', template: '{"at":{value}}' },
    ],
  ])('%j', (written, meant) => {
    expect(read(written)).toEqual(meant);
  });

  it.each<[Json, string]>([
    [true, 'expected a string, found true'],
    [{}, 'required: one of "header" and "param"'],
    [{ header: 'a', param: 'b' }, 'both "header" and "param" are given: write only one of them'],
    [{ header: 'a b' }, 'a header cannot have this name'],
    [{ header: 'Content-Length' }, 'this header belongs to the connection: only what sends the request can know it'],
    [
      { param: 'q', template: 'page one' },
      'has no placeholder, so that every page would be the first; it may have {value}, {json}, {from}, {to}, {limit}',
    ],
    [
      { header: 'range', template: '-{to}' },
      'has no placeholder, so that every page would be the first; it may have {value}, {json}, {from}, {to}, {limit}',
    ],
    [
      { param: 'q', template: '{valu}' },
      'has an unknown placeholder; this template may have {value}, {json}, {from}, {to}, {limit}; did you mean "value"?',
    ],
    [[['a']], 'expected a string, found an array'],
  ])('%j is refused', (written, message) => {
    expect(read(written)).toEqual([message]);
  });

  it('a placeholder of another method is unknown', () => {
    const pagination = { method: 'cursor', idKey: 'id', param: { header: 'Range', template: '{from}' } };
    expect(faults(configuration({ pagination }))).toEqual([
      'api.pagination.param.template: has an unknown placeholder; this template may have {value}, {json}',
    ]);
  });

  it('other keys of the object are noted', () => {
    const pagination = { method: 'cursor', idKey: 'id', param: { header: 'Range', templat: '{value}' } };
    expect(warnings(configuration({ pagination }))).toEqual([
      'api.pagination.param.templat: has no effect: unknown key; did you mean "template"?',
    ]);
  });

  it('a template tells what it shows', () => {
    expect(shows({ param: 'q', template: '{value} {limit}' }, 'limit')).toBe(true);
    expect(shows({ param: 'q', template: '{value}' }, 'limit')).toBe(false);
    expect(shows('limit', 'limit')).toBe(false);
  });

  it.each<[Place, Place, boolean]>([
    ['a', 'b', false],
    // Names alone have always been taken.
    ['a', 'a', false],
    ['a', ['a', 'b'], true],
    [['a', 'b'], 'a', true],
    [['a', 'b'], ['a', 'c'], false],
    [['a', 'b'], ['a', 'b'], true],
    [['a', 'b'], ['a', 'b', 'c'], true],
    ['q', { param: 'q', template: '{value}' }, true],
    ['q', { header: 'q', template: '{value}' }, false],
    [{ header: 'q', template: '{value}' }, { header: 'q', template: '{json}' }, true],
  ])('%j and %j: the same place %s', (one, other, isSame) => {
    const found = clash({ limitParam: one, offsetParam: other });
    expect(found).toEqual(isSame ? [{ option: 'offsetParam', message: 'takes the same place as limitParam' }] : []);
  });
});

describe('the page size in a template', () => {
  const faultsIn = (pagination: object): readonly string[] => faults(configuration({ pagination }));
  const range = { header: 'Range', template: 'items={from}-{to}' };
  const page = { param: 'q', template: '(page:{value},page_size:{limit})' };

  it('has no second place', () => {
    expect(faultsIn({ method: 'offset', limit: 5, offsetParam: range })).toEqual([]);
    expect(faultsIn({ method: 'offset', limit: 5, offsetParam: range, limitParam: 'size' })).toEqual([
      'api.pagination.limitParam: has no effect beside a template of offsetParam that has the page size',
    ]);
    expect(faultsIn({ method: 'pagenum', limit: 5, pageParam: page, limitParam: 'size' })).toEqual([
      'api.pagination.limitParam: has no effect beside a template of pageParam that has the page size',
    ]);
  });

  it('has to be known', () => {
    expect(faultsIn({ method: 'pagenum', pageParam: page })).toEqual([
      'api.pagination.limit: required: the template of pageParam has {limit}',
    ]);
  });

  it('two options cannot take one place', () => {
    expect(faultsIn({ method: 'offset', limit: 5, offsetParam: ['v', 'x'], limitParam: ['v', 'x'] })).toEqual([
      'api.pagination.offsetParam: takes the same place as limitParam',
    ]);
    expect(faultsIn({ method: 'pagenum', limit: 5, pageParam: ['limit', 'x'] })).toEqual([
      'api.pagination.limitParam: takes the same place as pageParam',
    ]);
  });
});

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
