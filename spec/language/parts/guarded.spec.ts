/** What parts of an application give, who may have written them in JavaScript. */
import { extract } from '../../../src';
import type { Item, Part } from '../../../src';
import {
  defineAuthentication,
  defineFormat,
  defineFunction,
  definePagination,
  perRequest,
  stop,
  valid,
} from '../../../src/components';

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
