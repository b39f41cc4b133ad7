/** What parts of an application give, who may have written them in JavaScript. */
import * as E from 'fp-ts/Either';
import { ConfigurationError, extract, validate } from '../../../src';
import type { Item, Part } from '../../../src';
import * as components from '../../../src/components';
import {
  defineAuthentication,
  defineFormat,
  defineFunction,
  definePagination,
  perRequest,
  stop,
  valid,
} from '../../../src/components';
import { BUILT_IN, partsWithBuiltIn } from '../../../src/run/built-in-parts';
import { marker } from '../../docs/show/marker-pagination';
import { slug } from '../../docs/show/slug-function';

const fetch = (): Promise<Response> => Promise.resolve(new Response('[{"id":1},{"id":2}]'));
const page = { summary: 's', use: 'u', rules: [], options: {} };
const example = { about: 'a', config: { api: {}, config: {} }, exchanges: [], items: [] };

/** As JavaScript would write it. */
const untyped = (value: unknown): never => value as never;

async function itemsWith(part: Part, settings: object, job: object = {}): Promise<readonly Item[]> {
  const config = {
    api: { baseUrl: 'https://api.example.com', ...settings },
    config: { jobs: [{ endpoint: 'x', ...job }] },
  };
  const items: Item[] = [];
  for await (const item of extract(config, { components: [part], fetch })) items.push(item);
  return items;
}

describe('a pagination method of an application', () => {
  const first = { change: { params: {} }, position: 1 };
  const paged = (paginator: object): Promise<readonly Item[]> =>
    itemsWith(
      definePagination({
        ...page,
        name: 'mine',
        answer: 'a',
        example,
        paginator: () => untyped({ by: 'position', first, at: () => first, next: () => stop('end'), ...paginator }),
      }),
      { pagination: { method: 'mine' } },
    );
  const step = (value: object): object => ({ next: () => ({ kind: 'step', step: value }) });

  it.each([
    [{ next: () => undefined }, 'gave neither a step nor a stop'],
    [{ next: () => Promise.resolve(stop('end')) }, 'gave neither a step nor a stop'],
    [{ next: () => ({ kind: 'Stop', because: 'end' }) }, 'gave neither a step nor a stop'],
    // Without a position the page would pass for the last one, and a run that goes on would end there.
    [step({ change: {} }), 'gave no step in `next`'],
    [step({ change: {}, position: NaN }), 'gave no step in `next`'],
    [step({ position: 1 }), 'gave no step in `next`'],
    [{ first: undefined }, 'gave no step in `first`'],
    [{ by: 'luck' }, 'gave a paginator whose `by` is none'],
    [{ next: undefined }, 'gave no paginator'],
    [
      {
        next: () => {
          throw new Error('boom');
        },
      },
      'failed: boom',
    ],
  ])('%# is a defect that bears its name', async (paginator, problem) => {
    await expect(paged(paginator)).rejects.toThrow(`The pagination "mine" ${problem}`);
  });

  it('takes no item of the page away', async () => {
    const next = ({ items }: { items: unknown[] }): unknown => stop(`behind ${JSON.stringify(items.pop())}`);
    expect(await paged({ next })).toEqual([{ id: 1 }, { id: 2 }]);
  });
});

const values: readonly (readonly [unknown, string])[] = [
  [undefined, 'Undefined'],
  [Promise.resolve('a'), 'Promise'],
  [NaN, 'NaN'],
  [new Map(), 'Map'],
  [(): string => 'a', 'a function'],
  [{ list: [1, new Date(0)] }, 'Date at ["list"][1]'],
  [Array(1), 'Undefined at [0]'],
];

it.each(values)('a function that gives %p is a defect', async (value, told) => {
  const part = defineFunction({
    ...page,
    name: 'mine',
    arguments: [],
    result: 'r',
    examples: [{ args: [], result: '' }],
    call: () => untyped(value),
  });
  await expect(itemsWith(part, {}, { params: { q: { function: 'mine' } } })).rejects.toThrow(
    `The function "mine" gave something that is no JSON: ${told}.`,
  );
});

it.each(values)('a format that reads %p is a defect', async (value, told) => {
  const part = defineFormat({ ...page, name: 'mine', label: 'm', answer: 'a', example, read: () => untyped(value) });
  await expect(itemsWith(part, { http: { format: 'mine' } })).rejects.toThrow(
    `The format "mine" read something that is no JSON: ${told}.`,
  );
});

describe('an authentication of an application', () => {
  const source = () => perRequest((request) => request);
  const signed = (compiled: unknown): Promise<readonly Item[]> =>
    itemsWith(
      defineAuthentication({
        ...page,
        name: 'mine',
        travels: 't',
        needs: {},
        example,
        credentials: () => valid({}),
        compile: () => untyped(compiled),
      }),
      { authentication: { type: 'mine' } },
    );

  it.each([
    [undefined, 'compiled to nothing'],
    [Promise.resolve(valid({ secrets: [], source })), 'compiled to nothing'],
    [valid({ source }), 'compiled to nothing'],
    [valid({ secrets: 'abc', source }), 'compiled to nothing'],
    [valid({ secrets: [], source: () => undefined }), 'has no credentials'],
  ])('%# sends nothing without credentials', async (compiled, problem) => {
    await expect(signed(compiled)).rejects.toThrow(`The authentication "mine" ${problem}`);
  });

  it('signs when it compiles', async () => {
    expect(await signed(valid({ secrets: [], source }))).toHaveLength(2);
  });
});

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
