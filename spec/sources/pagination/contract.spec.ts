/** What holds for all pagination methods: `rows.ts` and `facts.ts` have what is so with each of them. */
import fc from 'fast-check';
import { FatalError } from '../../../src/core/errors/errors';
import { parseJson } from '../../../src/core/json/parse';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { Json, JsonObject } from '../../../src/core/model';
import { stop } from '../../../src/language/parts/pagination/paginator';
import type { JobFacts, Next, Paginator, Step } from '../../../src/language/parts/pagination/paginator';
import * as methods from '../../../src/sources/pagination/methods';
import { configuration, faults, run as read } from '../../language/configuration/support';
import { someOf } from '../../support/cases';
import { arrivalOf, chosenPagination, itemsAt, jobFacts, playPages } from '../../support/pagination';
import type { Reply } from '../../support/pagination';
import { FACTS } from './facts';
import type { Ending, Facts } from './facts';
import { ROWS } from './rows';
import type { Row } from './rows';

type Written = Pick<Row, 'method' | 'options' | 'job'>;

const paginationOf = ({ method, options }: Written): JsonObject =>
  method === 'none' ? options : { method, ...options };
const configOf = (row: Written): object => ({
  api: { baseUrl: 'https://api.example', pagination: paginationOf(row) },
  config: { jobs: [{ endpoint: 'users', ...row.job }] },
});
const ownFacts = ({ job = {} }: Written): JobFacts => {
  const { params = {}, body } = job as { readonly params?: JsonObject; readonly body?: Json };
  return jobFacts({ params, ...(body === undefined ? {} : { body }) });
};
const paginatorOf = (row: Written): Paginator => chosenPagination(paginationOf(row)).paginator(ownFacts(row));
const replyOf = (data: Json, headers?: Reply['headers']): Reply => ({
  data,
  ...(headers === undefined ? {} : { headers }),
});
const repliesOf = ({ exchanges }: Row): Reply[] => exchanges.map(([, data, headers]) => replyOf(data, headers));
const asks = ({ exchanges }: Row): string[] => exchanges.map(([asked]) => asked);
const arrived = ({ job }: Written, step: Step, { data, headers = {} }: Reply) => {
  const now = Math.floor(Date.now() / 1000);
  return arrivalOf({ step: frozen(step), items: itemsAt(frozen(data), job), data, headers, now });
};
/** What a position is in a later run. */
const stored = (position: Json): Json => parseJson(stringifyJson(position));

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value))
    Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

const rows = ROWS.map((row) => [`${row.method}: ${row.what}`, row] as const);
/** What `multiple` does is what its scrollers do. */
const single = rows.filter(([, { method }]) => method !== 'multiple');
const all = FACTS.map((facts) => [facts.method, facts] as const);

describe('the table of pagination methods', () => {
  it('has all methods', () => {
    const names = Object.values(methods)
      .map(({ name }) => name)
      .sort();
    expect(FACTS.map(({ method }) => method).sort()).toEqual(names);
    expect([...new Set(ROWS.map(({ method }) => method))].sort()).toEqual([...names, 'multiple', 'none'].sort());
  });
});

describe('a run asks for its pages one after the other, gives every item once, and stops at its end', () => {
  it.each(rows)('%s', async (_, row) => {
    const { asked, items, warnings, doubts, error } = await playPages(configOf(row), repliesOf(row), row);
    expect({ asked, items, warnings, doubts, error }).toEqual({
      asked: asks(row),
      items: row.items ?? repliesOf(row).flatMap(({ data }) => itemsAt(data, row.job)),
      warnings: row.warnings ?? [],
      doubts: row.doubts ?? [],
      error: undefined,
    });
  });
});

it('multiple: each job of a run by its own scroller', async () => {
  const scrollers = { list: { method: 'offset', limit: 2 }, search: { method: 'pagenum' } };
  const config = {
    api: { baseUrl: 'https://api.example', pagination: { method: 'multiple', scrollers, default: 'list' } },
    config: { jobs: [{ endpoint: 'users' }, { endpoint: 'search', scroller: 'search' }] },
  };
  const { asked, items } = await playPages(
    config,
    [[1, 2], [3], [4], []].map((data) => ({ data })),
  );
  expect(asked).toEqual([
    'GET /users?limit=2&offset=0',
    'GET /users?limit=2&offset=2',
    'GET /search?page=1',
    'GET /search?page=2',
  ]);
  expect(items).toEqual([1, 2, 3, 4]);
});

describe('a run that was broken off after any page goes on behind it', () => {
  it.each(rows)('%s', async (_, row) => {
    const whole = await playPages(configOf(row), repliesOf(row), row);
    const counts = whole.pages.map((_, at) => at + 1);
    for (const count of someOf(counts, 2)) {
      const done = whole.pages.slice(0, count);
      const rest = await playPages(configOf(row), repliesOf(row).slice(count), { ...row, done });
      expect([count, rest.asked, rest.error]).toEqual([count, asks(row).slice(count), undefined]);
      expect(rest.items).toEqual(whole.pages.slice(count).flatMap(({ items }) => items));
    }
  });
});

describe('a paginator is pure: the same page gives the same request, from memory and from a stored position', () => {
  it.each(single)('%s', (_, row) => {
    const tested = paginatorOf(row);
    let step = tested.first;
    for (const reply of repliesOf(row)) {
      const next = tested.next(arrived(row, step, reply));
      expect(tested.next(arrived(row, step, reply))).toEqual(next);
      const other = paginatorOf(row);
      expect(
        other.next(arrived(row, step === tested.first ? other.first : other.at(stored(step.position)), reply)),
      ).toEqual(next);
      if (next.kind === 'stop') return;
      expect(other.at(stored(next.step.position))).toEqual(next.step);
      ({ step } = next);
    }
  });

  it.each(single)('%s: a position that cannot be read means the first request', (_, row) => {
    const tested = paginatorOf(row);
    // A token may be an object.
    const unreadable: readonly Json[] = [
      null,
      [],
      false,
      ...(row.method === 'response.param' ? [] : [{ no: 'position' }]),
    ];
    for (const position of unreadable) expect(tested.at(position)).toEqual(tested.first);
  });

  /** What a page may hold, whichever method reads it. */
  interface Content {
    readonly next: string;
    readonly ids: readonly bigint[];
  }
  const content: fc.Arbitrary<Content> = fc.record({
    next: fc.stringMatching(/^[?/]?[a-z0-9=&%.]{0,12}$/),
    ids: fc.array(fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }), { maxLength: 4 }),
  });
  const generated: readonly Written[] = [
    { method: 'none', options: {} },
    { method: 'offset', options: { limit: 1, offsetFromJob: true, firstPageParams: false } },
    { method: 'offset', options: { limit: 2, offsetParam: { header: 'Range', template: '{from}-{to}' } } },
    { method: 'pagenum', options: { limit: 2, pageParam: ['v', 'page'], limitParam: ['v', 'size'] } },
    { method: 'pagenum', options: { firstPage: 0, firstPageParams: false } },
    { method: 'keyset', options: { key: 'id', param: 'after' } },
    { method: 'keyset', options: { key: ['id', 'id'], param: ['a', 'b'], limit: 2 } },
    { method: 'keyset', options: { key: 'id', param: 'after', inclusive: true } },
    { method: 'cursor', options: { idKey: 'id', param: 'after', increment: 1 } },
    { method: 'cursor', options: { idKey: 'id', param: { param: 'q', template: 'id>{value}' }, reverse: true } },
    { method: 'response.url', options: { urlKey: 'next', includeParams: true } },
    { method: 'response.url', options: { urlKey: 'next', includeParams: true, paramIsQuery: true } },
    { method: 'zendesk.response.url', options: { urlKey: 'next', includeParams: true } },
    { method: 'response.link', options: { includeParams: true } },
    { method: 'response.param', options: { responseParam: 'next', queryParam: { header: 'X-Next' } } },
    { method: 'response.param', options: { responseParam: 'next', queryParam: 'token', includeParams: true } },
    { method: 'response.param', options: { responseHeader: 'X-Next', queryParam: 'token', includeParams: true } },
    { method: 'connection', options: { pageInfo: 'info' } },
  ].map((row) => ({ ...row, job: { params: { q: 'x', offset: 3 } } }));
  const taken = (tested: Paginator, step: Step, { next, ids }: Content): Next => {
    const items: readonly JsonObject[] = ids.map((id) => ({ id }));
    const headers = { link: `<${next}>; rel="next"`, 'x-next': next };
    const data = { next, info: { hasNextPage: true, endCursor: next } };
    try {
      return tested.next(arrivalOf({ step, items, data, headers, now: 2e9 }));
    } catch (error) {
      // Some pages cannot follow each other.
      if (error instanceof FatalError) return stop(error.message);
      throw error;
    }
  };

  it.each(generated)('$method with $options: whatever the pages are', (row) => {
    fc.assert(
      fc.property(fc.array(content, { maxLength: 8 }), (pages) => {
        const tested = paginatorOf(row);
        let remembered: Step = tested.first;
        for (const page of pages) {
          const next = taken(tested, remembered, page);
          expect(taken(tested, remembered, page)).toEqual(next);
          if (next.kind === 'stop') return;
          const restarted = paginatorOf(row);
          const restored = restarted.at(stored(next.step.position));
          expect(restored).toEqual(next.step);
          expect(taken(restarted, restored, page)).toEqual(taken(tested, next.step, page));
          remembered = next.step;
        }
      }),
    );
  });
});

type Case = readonly [method: string, what: string, row: Written, facts: Facts, reply: Reply, expected: string[]];

const caseOf = (facts: Facts, { options = {}, data, headers }: Ending, ...expected: string[]): Case => {
  const { method, options: least, job } = facts;
  const row = { method, options: { ...least, ...options }, ...(job === undefined ? {} : { job }) };
  const what = [options, data, headers].filter((part) => part !== undefined && stringifyJson(part) !== '{}');
  return [
    method,
    what.map((part) => stringifyJson(part as Json)).join(' '),
    row,
    facts,
    replyOf(data, headers),
    expected,
  ];
};

/** Options that this case has and the answer before it could not stand beside. */
const followed = ({ more, moreHeaders }: Facts): Reply => replyOf(more, moreHeaders);

describe('the end', () => {
  const ended = FACTS.flatMap((facts) =>
    facts.ends.flatMap(([because, answers]) => answers.map((ending) => caseOf(facts, ending, because))),
  );

  it.each(ended)('%s: %s', async (_, __, row, facts, reply, [because]) => {
    const tested = paginatorOf(row);
    expect(tested.next(arrived(row, tested.first, reply))).toEqual({ kind: 'stop', because });
    const next = tested.next(arrived(row, tested.first, followed(facts)));
    if (next.kind === 'step') expect(tested.next(arrived(row, next.step, reply))).toEqual({ kind: 'stop', because });
    const alone = await playPages(configOf(row), [reply]);
    expect([alone.asked.length, alone.error]).toEqual([1, undefined]);
    if (next.kind === 'stop') return;
    const second = await playPages(configOf(row), [followed(facts), reply]);
    expect([second.asked.length, second.error]).toEqual([2, undefined]);
  });

  it.each(all)('%s: goes on from a page behind which another follows', (_, facts) => {
    const { first, next } = paginatorOf(facts);
    expect(next(arrived(facts, first, followed(facts)))).toMatchObject({ kind: 'step' });
  });
});

describe('an answer that leads nowhere is an error, and nothing more is asked', () => {
  const wrong = FACTS.flatMap((facts) =>
    facts.wrong.flatMap(([code, message, answers]) => answers.map((ending) => caseOf(facts, ending, code, message))),
  );

  it.each(wrong)('%s: %s', async (_, __, row, facts, reply, [code, message]) => {
    const tested = paginatorOf(row);
    let thrown: unknown;
    try {
      tested.next(arrived(row, tested.first, reply));
    } catch (error) {
      thrown = error;
    }
    const failure = { code, message: expect.stringContaining(message ?? '') as string };
    expect(thrown).toBeInstanceOf(FatalError);
    expect(thrown).toMatchObject(failure);
    // Language 1.4: no second copy of what is in it.
    expect(thrown).not.toHaveProperty('cause');
    const alone = await playPages(configOf(row), [reply]);
    expect([alone.asked.length, alone.error]).toEqual([1, expect.objectContaining(failure)]);
    const next = tested.next(arrived(row, tested.first, followed(facts)));
    if (next.kind === 'stop') return;
    const second = await playPages(configOf(row), [followed(facts), reply]);
    expect([second.asked.length, second.error]).toEqual([2, expect.objectContaining(failure)]);
  });
});

describe('a value stands in its place', () => {
  const job = { params: { q: 'x' } };
  const body = { q: 'x' };
  const PLACES: readonly (readonly [what: string, place: Json, body: boolean, (value: Json) => object])[] = [
    ['a parameter', 'p', false, (value) => ({ params: { q: 'x', p: value } })],
    ['a parameter, beside a body', 'p', true, (value) => ({ params: { q: 'x', p: value } })],
    ['inside of a parameter', ['a', 'b'], false, (value) => ({ params: { q: 'x', a: { b: value } } })],
    ['inside of a body', ['a', 'b'], true, (value) => ({ params: { q: 'x' }, body: { q: 'x', a: { b: value } } })],
    [
      'a header',
      { header: 'X-P', template: 'v {json}' },
      false,
      (value) => ({ headers: { 'x-p': `v ${stringifyJson(value)}` } }),
    ],
    [
      'a template',
      { param: 'p', template: '<{value}>' },
      false,
      (value) => ({ params: { q: 'x', p: `<${stringifyJson(value).replaceAll('"', '')}>` } }),
    ],
  ];
  const cases = FACTS.flatMap((facts) =>
    facts.places.flatMap(([option, value, more = {}]) =>
      PLACES.map(
        ([what, place, hasBody, change]) =>
          [facts.method, option, what, { facts, option, place, more, hasBody }, change(value)] as const,
      ),
    ),
  );

  it.each(cases)('%s, %s: %s', (_, __, ___, { facts, option, place, more, hasBody }, change) => {
    const { method, options } = facts;
    const keeps = method === 'response.param' ? { includeParams: true } : {};
    const row = { method, options: { ...options, ...more, ...keeps, [option]: place }, job: facts.job ?? {} };
    const own = { params: { q: 'x' }, ...(hasBody ? { body } : {}) };
    const tested = chosenPagination(paginationOf(row)).paginator(jobFacts(own));
    const next = tested.next(arrived(row, tested.first, followed(facts)));
    expect(next).toMatchObject({ kind: 'step', step: { change } });
    expect(next.kind === 'step' && tested.at(stored(next.step.position))).toEqual(next.kind === 'step' && next.step);
    expect([job, body]).toEqual([{ params: { q: 'x' } }, { q: 'x' }]);
  });

  const placed = FACTS.flatMap((facts) =>
    facts.places.map(([option, , more]) => [facts.method, option, facts, more] as const),
  );

  it.each(placed)(
    '%s, %s: what is in the way, known when the job runs, is an error before its request',
    async (_, option, facts, more) => {
      const place = { [option]: ['variables', 'at'] };
      const inTheWay = { method: 'POST', body: { variables: { function: 'concat', args: ['te', 'xt'] } } };
      const row = { method: facts.method, options: { ...facts.options, ...more, ...place }, job: inTheWay };
      const { asked, error } = await playPages(configOf(row), [followed(facts)]);
      expect([asked, error]).toEqual([[], expect.objectContaining({ code: 'CONFIG_INVALID' })]);
      expect((error as Error).message).toContain(
        'config.jobs[0].body.variables: pagination sets ["variables","at"] in it',
      );
    },
  );

  const sized = FACTS.flatMap((facts) =>
    facts.places.filter(([option]) => option === 'limitParam').map(() => [facts.method, facts] as const),
  );

  it.each(sized)('%s: a page size of a job that is no integer is refused, with its place', (_, facts) => {
    for (const limit of ['all', '1.5', '-1', true, { a: 1 }])
      expect(() => paginatorOf({ ...facts, job: { params: { limit } } })).toThrow(
        /^config\.jobs\[0\]\.params\.limit: pagination needs an integer/,
      );
  });
});

describe('options', () => {
  it.each(all)('%s: at their defaults', (_, { method, options, decoded }) => {
    const { pagination } = read(configuration({ pagination: { method, ...options } })).api;
    if (pagination.kind === 'multiple') throw new Error('no method');
    expect({ method: pagination.pagination.method, ...pagination.pagination.options, stops: pagination.stops }).toEqual(
      {
        ...{ method, stops: {} },
        ...decoded,
      },
    );
  });

  it.each(all)('%s: an unknown one is refused, with what may have been meant', (_, { method, options, slip }) => {
    const [written, meant] = slip;
    const message = `api.pagination.${written}: has no effect: unknown key; did you mean "${meant}"?`;
    expect(faults(configuration({ pagination: { method, ...options, [written]: 1 } }))).toEqual([message]);
  });

  it('a misspelled method is refused, with what may have been meant', () => {
    for (const { method } of FACTS)
      expect(faults(configuration({ pagination: { method: `${method}s` } }))).toEqual([
        expect.stringContaining(`found "${method}s"; did you mean "${method}"?`),
      ]);
  });

  it.each(FACTS.flatMap(({ method, refused }) => refused.map(([options, found]) => [method, options, found] as const)))(
    '%s: %j is refused',
    (method, options, found) => {
      expect(faults(configuration({ pagination: { method, ...options } }))).toEqual(
        found.map((fault) => `api.pagination.${fault}`),
      );
    },
  );
});
