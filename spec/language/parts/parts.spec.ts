/** What parts of an application give, who may have written them in JavaScript. */
import * as E from 'fp-ts/Either';
import { of, throwError } from 'rxjs';
import {
  ConfigurationError,
  HeadwaterError,
  deliver,
  destinationOf,
  explain,
  extract,
  partsOf,
  schemaOf,
  validate,
} from '../../../src';
import type { Item, Part } from '../../../src';
import * as components from '../../../src/components';
import {
  defineAuthentication,
  defineFormat,
  defineFunction,
  defineMiddleware,
  definePagination,
  defineSink,
  goOn,
  optional,
  perRequest,
  stop,
  string,
  textAt,
  valid,
  withDefault,
} from '../../../src/components';
import { BUILT_IN, partsWithBuiltIn } from '../../../src/run/built-in-parts';
import { marker } from '../../docs/show/marker-pagination';
import { slug } from '../../docs/show/slug-function';

const page = { summary: 's', use: 'u', rules: [], options: {} };
const example = { about: 'a', config: { api: {}, config: {} }, exchanges: [], items: [] };

/** As JavaScript would write it. */
const untyped = (value: unknown): never => value as never;

async function itemsWith(part: Part, settings: object, job: object = {}, status = 200): Promise<readonly Item[]> {
  let last = 0;
  const fetch = (): Promise<Response> =>
    Promise.resolve(new Response(JSON.stringify([{ id: ++last }, { id: ++last }]), { status }));
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

  const onceMore = () => {
    let isFirst = true;
    return () => {
      const next = isFirst ? goOn({ change: { params: { page: 2 } }, position: 2 }) : stop('end');
      isFirst = false;
      return next;
    };
  };

  it.each<[object, string, string]>([
    [{ next: () => undefined }, 'next', 'next(…) gave neither a step nor a stop'],
    [{ next: () => Promise.resolve(stop('end')) }, 'next', 'next(…) gave neither a step nor a stop'],
    [{ next: () => ({ kind: 'Stop', because: 'end' }) }, 'next', 'next(…) gave neither a step nor a stop'],
    // Without a position the page would pass for the last one, and a run that goes on would end there.
    [step({ change: {} }), 'next', 'next(…) gave no step'],
    [step({ change: {}, position: NaN }), 'next', 'next(…) gave no step'],
    [step({ position: 1 }), 'next', 'next(…) gave no step'],
    [{ first: undefined }, 'first', 'first is no step'],
    [{ by: 'luck' }, 'paginator', 'paginator(…) gave one whose `by` is none'],
    [{ next: undefined }, 'paginator', 'paginator(…) gave no paginator'],
    [{ next: onceMore(), identityOf: () => 7 }, 'identityOf', 'identityOf(…) gave something else than a string'],
    [{ repeated: () => undefined }, 'repeated', 'repeated(…) gave something else than an array of indexes'],
    [
      {
        next: () => {
          throw new Error('boom');
        },
      },
      'next',
      'next(…) threw: boom',
    ],
  ])('%# is a defect with its name and that of the member', async (paginator, member, problem) => {
    await expect(paged(paginator)).rejects.toMatchObject({
      name: 'PartError',
      message: expect.stringContaining(`pagination "mine": ${problem}`) as string,
      part: { kind: 'pagination', name: 'mine' },
      member,
    });
  });

  it.each(['check', 'counts', 'places', 'parallel', 'scrollRequest', 'keepsBody', 'dropsParams', 'paginator'])(
    'that throws in %s is a defect, with its cause',
    async (member) => {
      const cause = new TypeError('boom');
      const fails = (): never => {
        throw cause;
      };
      const parts = { ...page, name: 'mine', answer: 'a', example, paginator: fails, [member]: fails };
      await expect(itemsWith(definePagination(parts), { pagination: { method: 'mine' } })).rejects.toMatchObject({
        message: `pagination "mine": ${member}(…) threw: boom`,
        part: { kind: 'pagination', name: 'mine' },
        member,
        cause,
      });
    },
  );

  it('may be an instance of a class', async () => {
    class Mine {
      readonly by = 'nothing';
      readonly first = first;
      #calls = 0;
      at = () => first;
      next(): unknown {
        return stop(String(++this.#calls));
      }
    }
    expect(await paged(new Mine())).toHaveLength(2);
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

it.each(values)('a function that gives %p is a defect', async (value, reported) => {
  const part = defineFunction({
    ...page,
    name: 'mine',
    arguments: [],
    result: 'r',
    examples: [{ args: [], result: '' }],
    call: () => untyped(value),
  });
  await expect(itemsWith(part, {}, { params: { q: { function: 'mine' } } })).rejects.toThrow(
    `function "mine": call(…) gave something that is no JSON: ${reported}.`,
  );
});

it.each(values)('a format that reads %p is a defect', async (value, reported) => {
  const part = defineFormat({ ...page, name: 'mine', label: 'm', answer: 'a', example, read: () => untyped(value) });
  await expect(itemsWith(part, { http: { format: 'mine' } })).rejects.toThrow(
    `format "mine": read(…) gave something that is no JSON: ${reported}.`,
  );
});

describe('an authentication of an application', () => {
  const source = () => perRequest((request) => request);
  const signed = (compiled: unknown, status = 200): Promise<readonly Item[]> =>
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
      {},
      status,
    );

  const gives = (credentials: unknown) =>
    valid({ secrets: [], source: () => ({ credentials$: of(credentials), invalidate: () => undefined }) });
  const boom = (): never => {
    throw new Error('boom');
  };

  it.each<[unknown, string, string]>([
    [undefined, 'compile', 'compile(…) gave nothing'],
    [Promise.resolve(valid({ secrets: [], source })), 'compile', 'compile(…) gave nothing'],
    [valid({ source }), 'compile', 'compile(…) gave nothing'],
    [valid({ secrets: 'abc', source }), 'compile', 'compile(…) gave nothing'],
    [valid({ secrets: [], source: () => undefined }), 'source', 'source(…) gave no credentials'],
    [valid({ secrets: [], source: boom }), 'source', 'source(…) threw: boom'],
    [gives({}), 'credentials$', 'credentials$ emitted something else'],
    [gives({ refusedBy: [], apply: () => Promise.resolve() }), 'apply', 'apply(…) gave no request'],
    [gives({ refusedBy: [], apply: boom }), 'apply', 'apply(…) threw: boom'],
    [
      valid({ secrets: [], source: () => ({ credentials$: throwError(boom), invalidate: () => undefined }) }),
      'credentials$',
      'credentials$ failed: boom',
    ],
  ])('%# sends nothing without credentials', async (compiled, member, problem) => {
    await expect(signed(compiled)).rejects.toMatchObject({
      message: expect.stringContaining(`authentication "mine": ${problem}`) as string,
      part: { kind: 'authentication', name: 'mine' },
      member,
    });
  });

  it('is told of the credentials that it gave', async () => {
    const given = { refusedBy: [401], apply: (request: unknown) => request };
    const refused: unknown[] = [];
    const compiled = valid({
      secrets: [],
      source: () => ({ credentials$: of(given), invalidate: (each: unknown) => void refused.push(each) }),
    });
    await expect(signed(compiled, 401)).rejects.toBeInstanceOf(HeadwaterError);
    expect(refused[0]).toBe(given);
  });

  it('signs when it compiles', async () => {
    expect(await signed(valid({ secrets: [], source }))).toHaveLength(2);
  });
});

const untypedSink = (): never => {
  throw new Error('no sink');
};

describe('a sink of an application', () => {
  const idle = {
    name: 'mine:x',
    keepsNothing: true,
    open: () => Promise.resolve({ state: {} }),
    begin: () => Promise.resolve(),
    write: () => Promise.resolve(),
    commit: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  };
  const stored = (create: () => unknown) => {
    const sink = defineSink({
      ...{
        kind: 'sink',
        name: 'mine',
        summary: 's',
        use: 'u',
        schemes: ['mine'],
        address: ['mine:X'],
        example: 'mine:x',
      },
      ...{ rules: [], makes: 'messages', create: () => untyped(create()) },
    });
    const config = { api: { baseUrl: 'https://api.example.com' }, config: { jobs: [{ endpoint: 'x' }] } };
    const fetch = (): Promise<Response> => Promise.resolve(new Response('[{"id":1}]'));
    return deliver(config, [destinationOf('mine:x', { components: [sink] })], { fetch });
  };
  const boom = (): never => {
    throw new Error('boom');
  };

  it('runs', async () => {
    expect(await stored(() => idle)).toMatchObject({ outcome: 'complete', stored: [{ sink: 'mine:x' }] });
  });

  it.each<[string, () => unknown, string]>([
    ['create', () => ({}), 'create(…) gave a sink that lacks "open"'],
    ['create', boom, 'create(…) threw: boom'],
    ...(['open', 'begin', 'write', 'commit'] as const).flatMap((member): [string, () => unknown, string][] => [
      [member, () => ({ ...idle, [member]: boom }), `${member}(…) threw: boom`],
      [member, () => ({ ...idle, [member]: () => Promise.reject(new Error('boom')) }), `${member}(…) threw: boom`],
    ]),
  ])('that fails in %s is a defect with its name', async (member, create, problem) => {
    const failure: unknown = await stored(create).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      message: expect.stringContaining(`sink "mine": ${problem}`) as string,
      part: { kind: 'sink', name: 'mine' },
      member,
    });
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
    [
      ...['name', 'arguments', 'call'].map((member) => ({ part: slug, member })),
      ...['name', 'options', 'codec', 'paginator'].map((member) => ({ part: marker, member })),
      ...[...BUILT_IN.format.values()].flatMap((part) =>
        ['name', 'label', 'options', 'codec', 'read', 'otherNames', 'contentTypes'].map((member) => ({ part, member })),
      ),
    ].map(({ part, member }) => ({ part, kind: part.kind, name: part.name, member })),
  )('$kind $name without "$member" is refused by its name', ({ part, member }) => {
    expect(faultsOf({ ...without(part, member) })).toEqual([
      expect.stringMatching(
        new RegExp(`^components\\[0\\]: the \\w+(?: "\\w+")? lacks "${member}": expected an? \\w+$`),
      ),
    ]);
  });

  it('need nothing that is for the manual alone', async () => {
    const bare: readonly Part[] = [
      defineFunction({ name: 'twice', arguments: [{ name: 'text' }], call: (args) => textAt(args, 0).repeat(2) }),
      definePagination({
        name: 'mine',
        options: { param: withDefault(string, 'at') },
        paginator: ({ param }, { params }) => {
          const first = { change: { params: { ...params, [param]: '1' } }, position: 1 };
          return { by: 'position', first, at: () => first, next: () => stop('end') };
        },
      }),
      defineAuthentication({
        name: 'mine',
        options: {},
        credentials: () => valid({}),
        compile: () => valid({ secrets: [], source: () => perRequest((request) => request) }),
      }),
      defineFormat({ name: 'mine', options: { by: optional(string) }, read: (text) => [{ text }] }),
      defineMiddleware({ name: 'mine', around: 'request', middleware: (send) => send }),
      defineSink({
        kind: 'sink',
        name: 'mine',
        schemes: ['mine'],
        address: ['mine:X'],
        makes: 'messages',
        create: untypedSink,
      }),
    ];
    const config = {
      api: {
        baseUrl: 'https://api.example.com',
        authentication: { type: 'mine' },
        pagination: { method: 'mine' },
        http: { format: 'mine' },
      },
      config: { jobs: [{ endpoint: 'x', params: { q: { function: 'twice', args: ['a'] } } }] },
    };
    const urls: string[] = [];
    const fetch = (request: unknown): Promise<Response> => {
      urls.push(String(request));
      return Promise.resolve(new Response('abc'));
    };
    const items: Item[] = [];
    for await (const item of extract(config, { components: bare, fetch })) items.push(item);
    expect(items).toEqual([{ text: 'abc' }]);
    expect(urls).toEqual(['https://api.example.com/x?q=aa&at=1']);
    expect(partsOf(bare).filter(({ name }) => name === 'mine' || name === 'twice')).toHaveLength(bare.length);
    for (const { kind, name } of bare) {
      const explained = explain(`${kind} ${name}`, bare);
      expect('page' in explained && explained.page).toMatch(new RegExp(`^#+ `));
      expect(JSON.stringify(explained)).not.toContain('undefined');
    }
    expect(JSON.stringify(schemaOf(bare))).toContain('"at"');
  });

  it.each(
    (['authentication', 'pagination', 'format'] as const).flatMap((kind) =>
      [...BUILT_IN[kind].values()].map((part) => [kind, part.name, part] as const),
    ),
  )('of Headwater have all that the manual needs: %s %s', (_, __, part) => {
    expect(part).toMatchObject({ summary: expect.any(String) as string, use: expect.any(String) as string });
    expect(part).toMatchObject({ rules: expect.any(Array) as [], example: expect.any(Object) as object });
    expect(Object.entries(part.options).filter(([, { doc }]) => doc === undefined)).toEqual([]);
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
