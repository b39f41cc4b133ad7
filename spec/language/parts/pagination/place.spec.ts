import { isRight } from 'fp-ts/Either';
import { findingsOf } from '../../../../src/language/codec/codec';
import type { Json } from '../../../../src/core/model';
import { clash, place, shows, type Place } from '../../../../src/language/parts/pagination/place';
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
