/** What a job makes of its items, in whole runs (docs/language/items.md). */
import { lastValueFrom, toArray } from 'rxjs';
import { extract, validate } from '../../src';
import type { Page, RunEvent } from '../../src';
import { createProgressTracker } from '../../src/run/state/progress';

const ALL = Array.from({ length: 7 }, (_, at) => ({ id: at, kind: at < 4 ? 'old' : 'new', key: at % 3 }));

/** Two items a page; below each item there is one. */
function run(job: object, more: { resume?: Page[]; api?: object } = {}) {
  const asked: string[] = [];
  const events: RunEvent[] = [];
  const fetch = (input: string | URL | globalThis.Request): Promise<globalThis.Response> => {
    const url = new URL(String(input instanceof Request ? input.url : input));
    asked.push(url.pathname + url.search);
    const offset = Number(url.searchParams.get('offset') ?? 0);
    const items = url.pathname === '/items' ? ALL.slice(offset, offset + 2) : [{ of: url.pathname }, { of: 'all' }];
    const isOver = url.pathname !== '/items' && offset > 0;
    return Promise.resolve(new Response(JSON.stringify({ total: ALL.length, items: isOver ? [] : items })));
  };
  const config = {
    api: { baseUrl: 'https://api.example/', pagination: { method: 'offset', limit: 2 }, ...more.api },
    config: { jobs: [{ id: 'items', endpoint: 'items', dataField: 'items', ...job }] },
  };
  const book = createProgressTracker();
  for (const { checkpoint } of more.resume ?? []) book.add(checkpoint);
  const { pages$ } = extract(config, {
    fetch,
    onEvent: (event) => events.push(event),
    ...(more.resume === undefined ? {} : { resume: { startedAt: 1, progress: book.progress() } }),
  });
  return lastValueFrom(pages$.pipe(toArray())).then((pages) => ({ pages, asked, events }));
}

const idsOf = (pages: readonly Page[]): unknown[] => pages.flatMap(({ items }) => items);
const lines = (page: Page): string => Buffer.from(page.lines()).toString();

describe('items of a run', () => {
  it('pages on where nothing of a page is kept, and is complete', async () => {
    const { pages, events } = await run({ filter: 'kind==new', total: 'total' });
    expect(pages.map(({ count }) => count)).toEqual([0, 0, 2, 1]);
    expect(pages.map(({ items }) => items.length)).toEqual([0, 0, 2, 1]);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'items.shaped',
        arrived: 7,
        delivered: 3,
        dropped: { unnest: 0, filter: 4, exclude: 0, unique: 0 },
      }),
    );
    expect(events.at(-1)).toMatchObject({ type: 'run.finished', items: 3, outcome: 'complete', jobs: [{ items: 3 }] });
  });

  it('stops by the items as they came', async () => {
    const { pages } = await run(
      { filter: 'kind==new' },
      { api: { pagination: { method: 'offset', limit: 2, limitStop: { count: 5 } } } },
    );
    expect(pages.map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  it('comes as far as the items that it drops', async () => {
    const { pages } = await run({ filter: 'kind==old', incremental: { field: 'id', param: 'since' } });
    const cursor = { parent: '', value: 6, least: 6, ascends: true };
    expect(pages.at(-1)?.cursor).toEqual(cursor);
    expect(pages.at(-1)?.checkpoint.cursor).toEqual(cursor);
  });

  it('calls children for what is made of the items', async () => {
    const child = { endpoint: '{name}', placeholders: { name: 'name' }, dataField: 'items', unique: 'of' };
    const { asked, pages, events } = await run({ rename: { id: 'name' }, exclude: 'kind==old', children: [child] });
    expect(asked.filter((address) => !address.startsWith('/items')).map((address) => address.slice(0, 2))).toEqual(
      expect.arrayContaining(['/4', '/5', '/6']),
    );
    expect(asked.some((address) => address.startsWith('/0'))).toBe(false);
    expect(pages.map(({ job }) => job.endpoint)).toContain('{name}');
    expect(events.filter(({ type }) => type === 'items.shaped')).toHaveLength(2);
  });

  it('goes on behind any page with nothing lost or doubled', async () => {
    const job = { unnest: 'id', filter: 'value>=1', compute: { twice: { item: 'value' } } };
    const whole = await run(job);
    const wanted = whole.pages.map(lines);
    for (let cut = 0; cut <= whole.pages.length; cut += 1) {
      const rest = await run(job, { resume: whole.pages.slice(0, cut) });
      expect([...wanted.slice(0, cut), ...rest.pages.map(lines)]).toEqual(wanted);
    }
  });

  it('begins again where keys have to be known, children included', async () => {
    const child = { endpoint: '{id}', placeholders: { id: 'id' }, dataField: 'items' };
    const job = { unique: 'key', children: [child] };
    const whole = await run(job);
    expect(idsOf(whole.pages.filter(({ job: { endpoint } }) => endpoint === 'items'))).toHaveLength(3);
    for (let cut = 1; cut < whole.pages.length; cut += 1) {
      const { pages, events } = await run(job, { resume: whole.pages.slice(0, cut) });
      // A call whose last page is there needs no keys any more.
      const isRestarted = events.some((event) => event.type === 'warning' && event.code === 'JOB_RESTARTED');
      const isLast = whole.pages
        .slice(0, cut)
        .some(({ job: { endpoint }, checkpoint }) => endpoint === 'items' && checkpoint.position === undefined);
      expect(isRestarted).toBe(!isLast);
      if (isRestarted) expect(pages.map(lines)).toEqual(whole.pages.map(lines));
    }
  });

  it('copies numbers as the API wrote them', async () => {
    const fetch = (): Promise<Response> => Promise.resolve(new Response('[{"id":1.50,"n":0.12345678901234567890}]'));
    const config = {
      api: { baseUrl: 'https://api.example/' },
      config: { jobs: [{ endpoint: 'items', rename: { id: 'x' } }] },
    };
    const pages = await lastValueFrom(extract(config, { fetch }).pages$.pipe(toArray()));
    expect(pages.map(lines)).toEqual(['{"x":1.50,"n":0.12345678901234567890}\n']);
  });

  it('refuses a dataField that makes pages look like last ones', async () => {
    await expect(run({ dataField: '$.items[?@.kind == "new"]' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    const { pages } = await run({ dataField: '$.items[?@.kind == "new"]' }, { api: { pagination: {} } });
    expect(pages.map(({ count }) => count)).toEqual([0]);
    expect((await run({ dataField: '$.items[*]' })).pages.map(({ count }) => count)).toEqual([2, 2, 2, 1]);
  });

  it('refuses what cannot be meant', () => {
    const fault = (job: object) => (): unknown =>
      validate({
        api: { baseUrl: 'https://api.example/' },
        config: { '#key': 's3cret', jobs: [{ endpoint: 'items', ...job }] },
      });
    expect(fault({ filter: 'kind' })).toThrow('an operator');
    expect(fault({ compute: { a: { attr: '#key' } } })).toThrow('uses a secret');
    for (const meant of ['{kind}', 'item.kind', '$.kind', '{item.kind}', { items: 'kind' }, { field: 'kind' }])
      expect(fault({ compute: { a: meant } })).toThrow(
        'config.jobs[0].compute.a: would be the same in every item: expected {"item": "kind"}',
      );
    expect(fault({ compute: { a: 'No. {id} of {kind}' } })).toThrow('concat');
    expect(fault({ compute: { a: { function: 'nothing' } } })).toThrow("Illegal function 'nothing'");
    expect(fault({ rename: { a: 'c', b: 'c' } })).toThrow('names that differ');
    expect(fault({ unnest: 5 })).toThrow('the path of an array');
    expect(fault({ unnest: '$.a[*]' })).toThrow('a path of keys');
    expect(fault({ dataField: '$.a[?' })).toThrow('no JSON path');
    expect(fault({ filters: 'a==1' })).toThrow('did you mean "filter"');
  });
});

describe('docs/language/items.md: dates that items do not have', () => {
  const moment = (path: string) => ({ function: 'strtotime', args: [{ item: path }] });
  const dated = async (items: string, compute: object): Promise<string> => {
    const fetch = (): Promise<globalThis.Response> => Promise.resolve(new Response(items));
    const config = { api: { baseUrl: 'https://api.example/' }, config: { jobs: [{ endpoint: 'a', compute }] } };
    const pages = await lastValueFrom(extract(config, { fetch }).pages$.pipe(toArray()));
    return pages.map(lines).join('');
  };

  it('are null in any form, and no moment of 1970 or of now', async () => {
    const compute = {
      d: { function: 'date', args: ['Y-m-d', moment('at')] },
      y: { function: 'date', args: ['Y', { item: 'unix' }] },
    };
    const items = '[{"at":"2024-05-01","unix":0},{"at":null},{"at":"soon","unix":""}]';
    expect(await dated(items, compute)).toBe(
      '{"at":"2024-05-01","unix":0,"d":"2024-05-01","y":"1970"}\n' +
        '{"at":null,"d":null,"y":null}\n{"at":"soon","unix":"","d":null,"y":null}\n',
    );
  });

  it('numbers of items keep their digits', async () => {
    const n = '12345678901234567890';
    expect(await dated(`[{"n":${n}}]`, { m: { item: 'n' } })).toBe(`{"n":${n},"m":${n}}\n`);
  });
});
