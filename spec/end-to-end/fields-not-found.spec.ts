/** Fields that a configuration names and no item has, in whole runs (docs/language/items.md#fields-that-no-item-has). */
import { lastValueFrom, tap, toArray } from 'rxjs';
import { extract } from '../../src';
import type { Page, RunEvent } from '../../src';
import { createProgressTracker } from '../../src/run/state/progress';

const ALL = [
  { id: 1, name: 'Ald', tags: ['a'] },
  { id: 2, name: 'Esk', tags: ['b'] },
  { id: 3, name: 'Wye', note: null },
];

interface Given {
  readonly items?: readonly object[];
  readonly resume?: readonly Page[];
}

/** One item a page, and one below each. */
async function run(job: object, { items = ALL, resume = [] }: Given = {}) {
  const events: RunEvent[] = [];
  const fetch = (input: string | URL | globalThis.Request): Promise<globalThis.Response> => {
    const url = new URL(String(input instanceof Request ? input.url : input));
    const offset = Number(url.searchParams.get('offset') ?? 0);
    const found = url.pathname === '/rivers' ? items.slice(offset, offset + 1) : offset === 0 ? [{ at: 1 }] : [];
    return Promise.resolve(new Response(JSON.stringify(found)));
  };
  const book = createProgressTracker();
  for (const { checkpoint } of resume) book.add(checkpoint);
  const pages: Page[] = [];
  const { pages$ } = extract(
    {
      api: { baseUrl: 'https://api.example/', pagination: { method: 'offset', limit: 1 } },
      config: { jobs: [{ endpoint: 'rivers', ...job }] },
    },
    { fetch, onEvent: (event) => events.push(event), resume: { startedAt: 1, progress: book.progress() } },
  );
  const error = await lastValueFrom(
    pages$.pipe(
      tap((page) => pages.push(page)),
      toArray(),
    ),
  ).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  const told = events.flatMap((event) =>
    event.type === 'warning' && event.code === 'FIELD_NOT_FOUND' ? [event.message] : [],
  );
  const dropped = events.flatMap((event) =>
    event.type === 'warning' && event.code === 'ALL_DROPPED' ? [event.message] : [],
  );
  return { error, told, pages, dropped };
}

describe('a field that no item has', () => {
  it.each([
    [{ filter: 'nane==Ald' }, 'filter[0]: no item of rivers had the field "nane": there it is an empty string.'],
    [{ unnest: 'tag' }, 'unnest: no item of rivers had the field "tag": such items are dropped.'],
  ])('leaves nothing with %j, and the run is incomplete', async (job, message) => {
    const { error, told } = await run(job);
    expect(error).toMatchObject({ code: 'INCOMPLETE', doubts: [{ code: 'FIELD_NOT_FOUND', path: 'config.jobs[0]' }] });
    expect((error as Error).message).toContain(`All 3 items were dropped. ${message} Did you mean`);
    expect(told).toEqual([]);
    expect((await run({ ...job, completeness: 'warn' })).error).toBeUndefined();
    // Who does not want to be stopped is told all the same.
    const off = await run({ ...job, completeness: 'off' });
    expect([off.error, off.told]).toEqual([undefined, [expect.stringContaining(message)]]);
  });

  it.each([
    [{ filter: 'nane!=Ald' }, '.filter[0]: no item of rivers had the field "nane": there it is an empty string.'],
    [{ filter: ['name==Ald|nane==Esk'] }, '.filter[0]: no item of rivers had the field "nane"'],
    [{ exclude: 'nane==Ald' }, '.exclude[0]: no item of rivers had the field "nane"'],
    [{ compute: { x: { function: 'md5', args: [{ item: 'nane' }] } } }, '.compute.x: no item of rivers had the field'],
    [{ unique: ['nane'] }, '.unique: no item of rivers had the field "nane": such items are all kept.'],
    [{ rename: { nane: 'title' } }, '.rename: no item of rivers had the field "nane": nothing was renamed.'],
    [
      { children: [{ endpoint: 'below/{id}', placeholders: { id: 'id' }, recursionFilter: 'nane==Ald' }] },
      '.children[0].recursionFilter: no item of rivers had the field "nane": there it is an empty string.',
    ],
  ])('is warned of once with %j', async (job, message) => {
    const { error, told } = await run(job);
    expect(error).toBeUndefined();
    expect(told).toEqual([expect.stringContaining(`config.jobs[0]${message}`)]);
    expect(told[0]).toContain("Did you mean 'name'?");
  });

  it.each([
    [{ filter: 'name==Tay' }],
    [{ unnest: 'tags' }],
    [{ exclude: 'note==x' }],
    [{ compute: { y: { item: 'note' }, z: { item: 'y' }, w: { item: '$.z' } }, filter: 'z!=1', rename: { y: 'yy' } }],
    [{ children: [{ endpoint: 'below/{id}', placeholders: { id: 'id' }, recursionFilter: 'name==Tay' }] }],
  ])('is not told of where one item has it, if only as null: %j', async (job) => {
    expect(await run(job)).toMatchObject({ error: undefined, told: [] });
  });

  it.each([
    [{ filter: 'closed==' }, 3],
    [{ exclude: 'closed.at>1' }, 3],
    [{ rename: { closed: 'ended' } }, 3],
    [{ compute: { ended: { item: 'closed.at' } } }, 3],
    [{ unique: 'closed' }, 3],
    [{ unnest: 'closed' }, 0],
    [{ children: [{ endpoint: 'below/{id}', placeholders: { id: 'id' }, recursionFilter: 'closed==' }] }, 6],
  ])('is no mistake where the job says that items may lack it: %j', async (job, count) => {
    expect((await run(job)).told.length + Number((await run(job)).error !== undefined)).toBe(1);
    const { error, told, pages } = await run({ ...job, optionalFields: ['closed', 'closed.at'] });
    expect([error, told]).toEqual([undefined, []]);
    expect(pages.reduce((sum, page) => sum + page.count, 0)).toBe(count);
  });

  it('is told of with what to do, where no other name is near', async () => {
    expect((await run({ exclude: 'closed==x' })).told).toEqual([expect.stringMatching(/name it in optionalFields\.$/)]);
    expect((await run({ exclude: 'closed==x', optionalFields: 'shut' })).told).toHaveLength(1);
  });

  it('is not told of where there is no item', async () => {
    expect(await run({ filter: 'nane==Ald' }, { items: [] })).toMatchObject({ error: undefined, told: [] });
  });

  it('counts what the pages had that are safe from an earlier run', async () => {
    // Each field stands in some of the items only.
    const job = { filter: 'note!=x|tags!=x', exclude: 'tags==none' };
    const { pages } = await run(job);
    const rest = await run(job, { resume: pages.slice(0, 2) });
    expect(rest.pages.map(({ index }) => index)).toEqual([2, 3]);
    expect(pages.slice(0, 3).map(({ checkpoint }) => checkpoint.evidence)).toMatchObject([
      { met: [1, 2], keys: ['id', 'name', 'tags'] },
      {},
      { met: [0] },
    ]);
  });
});

describe('a recursionFilter', () => {
  const OPEN = [
    { id: 1, name: 'Ald', open: true },
    { id: 2, name: 'Esk', open: false },
  ];
  const child = (recursionFilter: string, more: object = {}): object => ({
    children: [{ endpoint: 'below/{id}', placeholders: { id: 'id' }, recursionFilter, ...more }],
  });

  it.each([
    ['open==true', 'There, true is "1"'],
    ['name=="Ald"', 'none of 2 items of rivers passed'],
    ['name<>Ald', 'so that the child was never called'],
  ])('that no item passes is warned of once: %s', async (filter, hint) => {
    const { error, told, dropped } = await run(child(filter), { items: OPEN });
    expect([error, told]).toEqual([undefined, []]);
    expect(dropped).toEqual([expect.stringContaining('config.jobs[0].children[0].recursionFilter: ')]);
    expect(dropped[0]).toContain(hint);
    expect((await run(child(filter, { batch: 2 }), { items: OPEN })).dropped).toHaveLength(1);
  });

  it.each([
    ['an item passes', 'open==1', OPEN],
    ['there is no item', 'open==true', []],
  ])('is not warned of where %s', async (_, filter, items) => {
    expect((await run(child(filter), { items })).dropped).toEqual([]);
  });

  it('is not warned of twice where its field is what is wrong, and not where nothing is looked at', async () => {
    const { told, dropped } = await run(child('nane==Ald'), { items: OPEN });
    expect([told.length, dropped.length]).toEqual([1, 0]);
    expect((await run({ ...child('open==true'), completeness: 'off' }, { items: OPEN })).dropped).toEqual([]);
  });
});
