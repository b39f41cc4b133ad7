/** What is said of paths that lead elsewhere than they look like (docs/language/README.md#paths). */
import { catchError, lastValueFrom, of, toArray } from 'rxjs';
import { extract } from '../../../src';
import type { Json } from '../../../src';
import { withoutBrackets } from '../../../src/core/json/path';
import { prepare } from '../../../src/run/validate';

const config = (job: object, api: object = {}): Json => ({
  api: { baseUrl: 'https://api.example', ...api },
  config: { jobs: [{ endpoint: 'items', id: 'items', ...job }] },
});
const below = (placeholder: unknown): object => ({
  children: [{ endpoint: 'b/{id}', placeholders: { id: placeholder } }],
});

/** Each place of a path, with the path in it. */
const PLACES: readonly (readonly [string, (path: string) => Json])[] = [
  ['config.jobs[0].dataField', (path) => config({ dataField: path })],
  ['config.jobs[0].dataField.path', (path) => config({ dataField: { path } })],
  ['config.jobs[0].total', (path) => config({ total: path })],
  ['config.jobs[0].total.path', (path) => config({ total: { path } })],
  ['config.jobs[0].unique', (path) => config({ unique: path })],
  ['config.jobs[0].unique[1]', (path) => config({ unique: ['id', path] })],
  ['config.jobs[0].incremental.field', (path) => config({ incremental: { field: path, param: 'since' } })],
  ['config.jobs[0].children[0].placeholders.id', (path) => config(below(path))],
  ['config.jobs[0].children[0].placeholders.id.path', (path) => config(below({ path, function: 'md5', args: ['x'] }))],
  ['api.pagination.idKey', (path) => config({}, { pagination: { method: 'cursor', idKey: path, param: 'a' } })],
  ['api.pagination.key', (path) => config({}, { pagination: { method: 'keyset', key: path, param: 'a' } })],
  [
    'api.pagination.responseParam',
    (path) => config({}, { pagination: { method: 'response.param', responseParam: path, queryParam: 'a' } }),
  ],
  ['api.pagination.urlKey', (path) => config({}, { pagination: { method: 'response.url', urlKey: path } })],
  [
    'api.pagination.limitStop.field',
    (path) => config({}, { pagination: { method: 'offset', limit: 1, limitStop: { field: path } } }),
  ],
  [
    'api.http.rules[0].when.field',
    (path) => config({}, { http: { rules: [{ when: { field: path, is: 'x' }, do: 'stop' }] } }),
  ],
];

describe('a path with positions in brackets', () => {
  it.each([
    ['a.b[0].c', 'a.b.0.c'],
    ['a[0][-1]', 'a.0.-1'],
    ['[0].a', '0.a'],
    ['a[*].b', '$.a[*].b'],
    ['[*].b', '$[*].b'],
  ])('%s is likely %s', (written, meant) => expect(withoutBrackets(written)).toBe(meant));

  it.each(['a.b', 'a[b]', 'a[0]b', 'a[]', '$.a[0]', '$["a[0]"]', '$[', 'a.0'])('%s has none', (path) =>
    expect(withoutBrackets(path)).toBeUndefined(),
  );

  it.each(PLACES)('is warned of in %s', (place, make) => {
    const { warnings } = prepare(make('a.b[0].c'), {}).planned;
    expect(warnings).toEqual([
      {
        path: place,
        message: 'takes the brackets in "a.b[0].c" for a part of a key; did you mean "a.b.0.c"?',
      },
    ]);
  });

  it('is warned of in a mapping', () => {
    const mapping = { 'a[0].b': 'b', 'c/d[0]': { mapping: { destination: 'd' }, delimiter: '/' } };
    const written = config({ dataType: 'items' }) as { config: object };
    const warned = prepare({ ...written, config: { ...written.config, mappings: { items: mapping } } }, {}).planned;
    expect(warned.warnings.map(({ message }) => message.replace(/.*mean /, ''))).toEqual(['"a.0.b"?', '"c/d/0"?']);
  });
});

describe('a path that begins like a JSON path and is none', () => {
  it.each(PLACES)('is refused in %s, with the place where it breaks', (place, make) => {
    expect(() => prepare(make('$.a['), {})).toThrow(
      `${place}: is no JSON path (RFC 9535), although it begins like one: unclosed bracketed selection, at character 5`,
    );
    expect(() => prepare(make('$.a['), { lenient: true })).not.toThrow();
  });

  it('is refused in an expression', () => {
    expect(() => prepare(config({ compute: { x: { item: '$.a b' } } }), {})).toThrow(/at character 5/);
  });
});

describe('a path with brackets that leads to nothing', () => {
  const errorOf = (written: Json): Promise<unknown> => {
    const fetch = (): Promise<globalThis.Response> => Promise.resolve(Response.json({ rows: [{ a: [{ id: 7 }] }] }));
    const { pages$ } = extract(written, { fetch });
    return lastValueFrom(
      pages$.pipe(
        toArray(),
        catchError((error: Error) => of(error.message)),
      ),
    );
  };

  it.each([
    ['a placeholder', config({ dataField: 'rows', ...below('a[0].id') }), 'a.0.id'],
    ['dataField', config({ dataField: 'rows[0].a' }), 'rows.0.a'],
    ['total', config({ dataField: 'rows', total: 'rows[0].n' }), 'rows.0.n'],
    [
      'a cursor',
      config({ dataField: 'rows' }, { pagination: { method: 'cursor', idKey: 'a[0].id', param: 'since' } }),
      'a.0.id',
    ],
    [
      'a key',
      config({ dataField: 'rows' }, { pagination: { method: 'keyset', key: 'a[0].id', param: 'since' } }),
      'a.0.id',
    ],
  ])('is told with what was likely meant: %s', async (_, written, meant) => {
    expect(await errorOf(written)).toContain(`Did you mean "${meant}"?`);
  });

  it('is read where the key has brackets', async () => {
    const fetch = (): Promise<globalThis.Response> => Promise.resolve(Response.json({ 'rows[0]': [{ id: 7 }] }));
    for (const dataField of ['rows[0]', '$["rows[0]"]']) {
      const { items$ } = extract(config({ dataField }), { fetch });
      expect(await lastValueFrom(items$.pipe(toArray()))).toEqual([{ id: 7 }]);
    }
  });
});
