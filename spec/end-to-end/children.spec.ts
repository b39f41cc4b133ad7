/** Children over whole runs, against a real server (language 6.6). */
import { lastValueFrom, toArray } from 'rxjs';
import { extract } from '../../src';
import type { Page, RunEvent } from '../../src';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer, ReceivedRequest } from '../support/api-server';

describe('children', () => {
  let server: ApiServer;
  let elsewhere: ApiServer | undefined;
  afterEach(async () => {
    await server.close();
    await elsewhere?.close();
    elsewhere = undefined;
  });
  const pagesOf = (job: object, api: object = {}, config: object = {}): Promise<Page[]> =>
    lastValueFrom(
      extract({ api: { baseUrl: server.origin, ...api }, config: { ...config, jobs: [job] } }).pages$.pipe(toArray()),
    );
  const asked = (): string[] => server.requests.map(({ url }) => url);

  it('run in the order of the language: a page, its children by definition and item, the next page', async () => {
    server = await startServer(({ url }: ReceivedRequest) => {
      if (url.startsWith('/boxes?limit=2&offset=0')) return json([{ id: 1 }, { id: 2 }]);
      if (url.startsWith('/boxes')) return json([{ id: 3 }]);
      return json([]);
    });
    await pagesOf(
      {
        endpoint: 'boxes',
        children: [
          { endpoint: 'a/{id}', placeholders: { id: 'id' } },
          { endpoint: 'b/{id}', placeholders: { id: 'id' }, recursionFilter: 'id!=1' },
        ],
      },
      { pagination: { method: 'offset', limit: 2, firstPageParams: true } },
    );
    expect(asked().map((url) => url.replace(/\?limit=2&offset=/, '@'))).toEqual([
      '/boxes@0',
      '/a/1@0',
      '/a/2@0',
      '/b/2@0',
      '/boxes@2',
      '/a/3@0',
      '/b/3@0',
    ]);
  });

  it('inherit placeholders, and their pages carry the columns that they add', async () => {
    server = await startServer(({ url }: ReceivedRequest) =>
      json(url === '/boxes' ? [{ id: 7 }] : [{ url, tag: 't' }]),
    );
    const pages = await pagesOf(
      {
        endpoint: 'boxes',
        userData: { src: 'job' },
        children: [
          {
            endpoint: 'box/{id}',
            placeholders: { id: 'id' },
            children: [{ endpoint: 'box/{id}/{tag}', placeholders: { tag: 'tag' }, userData: 'mine' }],
          },
        ],
      },
      {},
      { userData: { src: 'config', day: 'd' } },
    );
    expect(asked()).toEqual(['/boxes', '/box/7', '/box/7/t']);
    expect(pages.map(({ extra }) => Object.fromEntries(extra))).toEqual([
      { src: 'job', day: 'd' },
      { parent_id: '7' },
      { job_parent_id: 'mine', parent_id: '7', parent_tag: 't' },
    ]);
    expect(pages.at(-1)?.job.placeholders).toEqual({ id: '7', tag: 't' });
  });

  it('without any placeholder are never called, with a warning', async () => {
    server = await startServer({ '/boxes': json([{ id: 1 }]) });
    const { warnings, pages$ } = extract({
      api: { baseUrl: server.origin },
      config: { jobs: [{ endpoint: 'boxes', children: [{ endpoint: 'all' }] }] },
    });
    await lastValueFrom(pages$);
    expect(asked()).toEqual(['/boxes']);
    expect(warnings).toContainEqual({
      path: 'config.jobs[0].children[0].placeholders',
      message: "No 'placeholders' set for 'all': it is never called",
    });
  });

  it('a value of a response cannot lead them to another host', async () => {
    elsewhere = await startServer({});
    server = await startServer({ '/boxes': json([{ link: `${elsewhere.origin}/steal` }]) });
    const failure = pagesOf({ endpoint: 'boxes', children: [{ endpoint: '{link}', placeholders: { link: 'link' } }] });
    await expect(failure).rejects.toMatchObject({ code: 'ORIGIN_REFUSED' });
    expect(elsewhere.requests).toEqual([]);
  });

  it('a link to the same host is followed', async () => {
    server = await startServer(({ url }: ReceivedRequest) =>
      url === '/boxes' ? json([{ link: `${server.origin}/box/1?a=b` }]) : json([{ url }]),
    );
    const pages = await pagesOf({
      endpoint: 'boxes',
      children: [{ endpoint: '{link}', placeholders: { link: 'link' } }],
    });
    expect(pages.at(-1)?.items).toEqual([{ url: '/box/1?a=b' }]);
  });

  describe('with values that change the address', () => {
    const POSTS = 'tags/{t}/posts';
    const warned = async (values: readonly unknown[], endpoint = POSTS, placeholder: unknown = 'name') => {
      server = await startServer(({ url }: ReceivedRequest) =>
        json(url === '/tags' ? values.map((name) => ({ name })) : [{ url }]),
      );
      const events: RunEvent[] = [];
      const child = { endpoint, dataType: 'posts', placeholders: { t: placeholder } };
      const { pages$ } = extract(
        { api: { baseUrl: server.origin }, config: { jobs: [{ endpoint: 'tags', children: [child] }] } },
        { onEvent: (event) => events.push(event) },
      );
      await lastValueFrom(pages$);
      return events.flatMap((event) => (event.type === 'warning' ? [event] : []));
    };

    it.each([
      ['c#', '/tags/c', 'has "#", and what follows it is not sent', POSTS],
      ['what?', '/tags/what?/posts', 'has "?", and what follows it is no part of the path', POSTS],
      ['50%', '/tags/50%/posts', 'has "%", which begins a character that is encoded', POSTS],
      ['..', '/posts', 'is "." or ".."', POSTS],
      ['.', '/tags/posts', 'is "." or ".."', POSTS],
      ['a/../..', '/posts', 'is "." or ".."', POSTS],
      ['', '/tags//posts', 'is empty', POSTS],
      ['a&b', '/tags?tag=a&b', 'has "&", and what follows it is another parameter', 'tags?tag={t}'],
      ['a#', '/tags?tag=a', 'has "#"', 'tags?tag={t}'],
    ])('warn once, and are requested: %j as %s', async (value, address, what, endpoint) => {
      const warnings = await warned([value, 'b', value], endpoint);
      expect(asked()[1]).toBe(address);
      expect(warnings).toMatchObject([
        {
          ...{ type: 'warning', code: 'PLACEHOLDER_CHANGES_URL' },
          message: expect.stringContaining(`config.jobs[0].children[0].endpoint: a value of {t} ${what}`) as string,
          job: expect.not.objectContaining({ placeholders: expect.anything() as unknown }) as object,
        },
      ]);
    });

    it('warn of null as of an empty one', async () => {
      expect(await warned([null])).toMatchObject([{ code: 'PLACEHOLDER_CHANGES_URL' }]);
    });

    it.each<[string, string, unknown]>([
      ['a/b', POSTS, 'name'],
      ['...', POSTS, 'name'],
      ['.a', POSTS, 'name'],
      ['caf%C3%A9', POSTS, 'name'],
      ['a?page=2', 'tags/{t}', 'name'],
      ['/posts?a', '{t}', 'name'],
      ['..', 'tags/v{t}', 'name'],
      ['..', 'tags?tag={t}', 'name'],
      ['50% #1?', 'tags/{t}', { path: 'name', function: 'rawurlencode', args: [{ placeholder: 'value' }] }],
    ])('do not warn of %j in %s', async (value, endpoint, placeholder) => {
      expect(await warned([value], endpoint, placeholder)).toEqual([]);
    });
  });
});
