import * as E from 'fp-ts/Either';
import { ConfigurationError, extract, validate } from '../../../src';
import type { Part } from '../../../src';
import * as components from '../../../src/components';
import { BUILT_IN } from '../../../src/run/built-in-parts';
import { partsWithBuiltIn } from '../../../src/run/built-in-parts';
import { marker } from '../../docs/show/marker-pagination';
import { slug } from '../../docs/show/slug-function';

/** As JavaScript would give it. */
const parts = (given: unknown) => partsWithBuiltIn(given as readonly Part[]);
const faultsOf = (...given: readonly unknown[]): readonly string[] => {
  const result = parts(given);
  return E.isLeft(result) ? result.left.map(({ path, message }) => `${path}: ${message}`) : [];
};
const without = (part: object, member: string): object =>
  Object.fromEntries(Object.entries(part).filter(([key]) => key !== member));

describe('parts of an application', () => {
  it('stand among those of Headwater, in the order of names', () => {
    const result = parts([slug, marker]);
    if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
    expect(result.right.function.get('slug')).toMatchObject({ kind: 'function', name: 'slug' });
    expect([...result.right.pagination.keys()]).toEqual([...BUILT_IN.pagination.keys(), 'marker'].sort());
    expect(result.right.format).toEqual(BUILT_IN.format);
    expect(partsWithBuiltIn([])).toEqual(E.right(BUILT_IN));
  });

  it('have names of their own within a kind', () => {
    const message = (name: string, kind: string) =>
      `the name "${name}" is taken by another part of the kind ${kind}; choose another one`;
    expect(faultsOf({ ...slug, name: 'md5' })).toEqual([`components[0]: ${message('md5', 'function')}`]);
    expect(faultsOf(slug, marker, slug)).toEqual([`components[2]: ${message('slug', 'function')}`]);
    expect(faultsOf({ ...marker, name: 'multiple' })).toEqual([`components[0]: ${message('multiple', 'pagination')}`]);
    expect(faultsOf({ ...slug, name: 'marker' }, marker)).toEqual([]);
  });

  it.each([
    [undefined, 'expected a definition, as definePagination and the like give it, found nothing'],
    [() => slug, 'expected a definition, as definePagination and the like give it, found function'],
    [
      {},
      'expected a definition whose kind is one of authentication, pagination, format, middleware, sink, function, found nothing',
    ],
    [
      { kind: 'toString' },
      'expected a definition whose kind is one of authentication, pagination, format, middleware, sink, function, found string',
    ],
    [{ ...slug, name: '' }, 'the function "" lacks "name": expected a string'],
    [
      { ...marker, options: { key: 'id' } },
      'the pagination "marker" has an option "key" that is no field: make it with required, optional, withDefault or always',
    ],
  ])('%j is refused', (part, message) => {
    expect(faultsOf(null, part)[1]).toBe(`components[1]: ${message}`);
  });

  it.each(
    [slug, marker, ...BUILT_IN.format.values()].flatMap((part) =>
      Object.keys(part)
        .filter((key) => key !== 'kind')
        .map((member) => ({ part, kind: part.kind, name: part.name, member })),
    ),
  )('$kind $name without "$member" is refused by its name', ({ part, member }) => {
    expect(faultsOf({ ...without(part, member) })).toEqual([
      expect.stringMatching(
        new RegExp(`^components\\[0\\]: the \\w+(?: "\\w+")? lacks "${member}": expected an? \\w+$`),
      ),
    ]);
  });

  it('without a member of the parts, in JavaScript, are refused as well', () => {
    const bare = components.definePagination(
      without(marker, 'paginator') as unknown as Parameters<typeof components.definePagination>[0],
    );
    expect(faultsOf(bare)).toEqual(['components[0]: the pagination "marker" lacks "paginator": expected a function']);
  });

  it('are no list', () => {
    expect(parts(slug)).toEqual(E.left([{ path: 'components', message: 'expected an array of definitions' }]));
  });

  it('are refused before any request', () => {
    const config = { api: { baseUrl: 'https://api.example/' }, config: { jobs: [{ endpoint: 'a' }] } };
    const taken = { ...slug, name: 'md5' };
    expect(() => extract(config, { components: [taken] })).toThrow(ConfigurationError);
    expect(() => validate(config, { components: [taken] })).toThrow('components[0]: the name "md5" is taken');
  });
});
