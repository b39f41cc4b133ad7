import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { share, lastValueFrom, take, toArray } from 'rxjs';
import { ConfigurationError, extract, toNodeReadable, toWebReadable, validate } from '../../src';
import type { RunEvent } from '../../src';
import { afterDelay, bytes, json, never, stalled } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { needsBuild } from '../support/build';
import { jobsAt } from '../support/configurations';

const offset = { pagination: { method: 'offset', limit: 2 } };

describe('extract', () => {
  let server: ApiServer;
  afterEach(() => server.close());
  const served = async (...args: Parameters<typeof startServer>): Promise<string> => {
    server = await startServer(...args);
    return server.origin;
  };
  const pagesServed = (): Promise<string> =>
    served(({ url }) => json(url.includes('offset=0') ? [1, 2] : url.includes('offset=2') ? [3, 4] : [5]));

  it('does nothing before a subscription, and runs again for each', async () => {
    const { items$ } = extract(jobsAt(await pagesServed(), ['a'], offset));
    expect(server.requests).toEqual([]);
    expect(await lastValueFrom(items$.pipe(toArray()))).toEqual([1, 2, 3, 4, 5]);
    expect(await lastValueFrom(items$.pipe(toArray()))).toEqual([1, 2, 3, 4, 5]);
    expect(server.requests).toHaveLength(6);
  });

  it('events$ is a run of its own and tells all of it, in order', async () => {
    const events = await lastValueFrom(extract(jobsAt(await pagesServed(), ['a'], offset)).events$.pipe(toArray()));
    const page = ['request.sent', 'response.received', 'page.extracted'];
    expect(events.map(({ type }) => type)).toEqual([
      'run.started',
      'job.started',
      ...page,
      ...page,
      ...page,
      'pagination.stopped',
      'job.finished',
      'run.finished',
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'run.finished', pages: 3, items: 5, outcome: 'complete' });
  });

  it('a shared events$ gives several views of one run', async () => {
    const run$ = extract(jobsAt(await pagesServed(), ['a'], offset)).events$.pipe(share());
    const views = [lastValueFrom(run$.pipe(toArray())), lastValueFrom(run$)];
    await Promise.all(views);
    expect(server.requests).toHaveLength(3);
  });

  it('onEvent hears the run that another stream started', async () => {
    const eventTypes: RunEvent['type'][] = [];
    const { items$ } = extract(jobsAt(await pagesServed(), ['a']), { onEvent: ({ type }) => eventTypes.push(type) });
    await lastValueFrom(items$);
    expect(eventTypes.at(0)).toBe('run.started');
    expect(eventTypes.at(-1)).toBe('run.finished');
  });

  it('is async-iterable, and asks for a page only when its items are used up', async () => {
    const seen: unknown[] = [];
    for await (const item of extract(jobsAt(await pagesServed(), ['a'], offset))) {
      seen.push(item);
      expect(server.requests).toHaveLength(Math.ceil(seen.length / 2));
    }
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });

  it('leaving the loop early ends the run', async () => {
    for await (const item of extract(jobsAt(await pagesServed(), ['a', 'b'], offset))) if (item === 2) break;
    expect(server.requests).toHaveLength(1);
  });

  it('runs jobs one after another, in the order of the configuration', async () => {
    const origin = await served({ '/slow': afterDelay(30, json(['slow'])), '/fast': json(['fast']) });
    const items = await lastValueFrom(extract(jobsAt(origin, ['slow', 'fast'])).items$.pipe(toArray()));
    expect(items).toEqual(['slow', 'fast']);
    expect(server.requests.map(({ url }) => url)).toEqual(['/slow', '/fast']);
  });

  it('concurrency runs as many at once as it says, and no more', async () => {
    const origin = await served(() => never);
    const subscription = extract(jobsAt(origin, ['a', 'b', 'c', 'd']), { concurrency: 3 }).items$.subscribe();
    await server.received(2);
    expect(server.requests).toHaveLength(3);
    subscription.unsubscribe();
    await Promise.all(server.requests.map(({ disconnected }) => disconnected));
    expect(server.requests).toHaveLength(3);
  });

  it.each([0, -1, 1.5, NaN])('refuses a concurrency of %p', async (concurrency) => {
    const origin = await served({});
    expect(() => extract(jobsAt(origin, ['a']), { concurrency })).toThrow(/concurrency: expected an integer/);
  });

  it('unsubscribing in the middle of a body closes its socket', async () => {
    const subscription = extract(jobsAt(await served(() => stalled('[1,')), ['a'])).items$.subscribe();
    const { disconnected } = await server.received(0);
    subscription.unsubscribe();
    await disconnected;
    expect(server.openConnections()).toBe(0);
  });

  it.each<[string, (extraction: ReturnType<typeof extract>) => () => unknown]>([
    [
      'destroying a Node stream of its items',
      (extraction) => {
        const readable = toNodeReadable(extraction);
        readable.on('data', () => undefined);
        return () => readable.destroy();
      },
    ],
    [
      'cancelling a Web stream of its items',
      (extraction) => {
        const reader = toWebReadable(extraction).getReader();
        void reader.read();
        return () => reader.cancel();
      },
    ],
    [
      'returning from the iterator',
      (extraction) => {
        const iterator = extraction[Symbol.asyncIterator]();
        void iterator.next();
        return () => iterator.return?.();
      },
    ],
  ])('%s in the middle of a body closes its socket', async (_, begin) => {
    const leave = begin(extract(jobsAt(await served(() => stalled('[1,')), ['a'])));
    const { disconnected } = await server.received(0);
    void leave();
    await disconnected;
    expect(server.openConnections()).toBe(0);
  });

  it('an AbortSignal ends the run with its reason and closes the socket', async () => {
    const abort = new AbortController();
    const { items$ } = extract(jobsAt(await served(() => never), ['a']), { signal: abort.signal });
    const failure = lastValueFrom(items$);
    const { disconnected } = await server.received(0);
    const reason = new Error('enough');
    abort.abort(reason);
    await expect(failure).rejects.toBe(reason);
    await disconnected;
  });

  it('a process that unsubscribes in the middle of a body exits by itself', async () => {
    const origin = await served(() => stalled('[1,'));
    const program = `
      const { extract } = require(${JSON.stringify(needsBuild())});
      const config = ${JSON.stringify(jobsAt(origin, ['a'], { http: { requestTimeout: 3600 } }))};
      const subscription = extract(config).events$.subscribe();
      process.stdin.once('end', () => subscription.unsubscribe()).resume();
      process.on('exit', () => console.log('left: ' + JSON.stringify(process.getActiveResourcesInfo())));
    `;
    const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
    const { disconnected } = await server.received(0);
    // The head of the response needs a moment to arrive.
    setTimeout(() => child.stdin.end(), 200);
    const [output, status] = await Promise.all([
      text(child.stdout),
      new Promise((resolve) => child.once('exit', resolve)),
    ]);
    expect(status).toBe(0);
    expect(output).not.toMatch(/Timeout|TCPSocketWrap/);
    await disconnected;
  });

  it('refuses a configuration with every fault at once, and sends nothing', async () => {
    const origin = await served({});
    const config = {
      api: { baseUrl: origin, http: { headers: { a: { attr: 'nowhere' } } } },
      config: { jobs: [{ endpoint: 'a', params: { b: { function: 'sha2', args: [] } } }] },
    };
    expect(() => extract(config)).toThrow(ConfigurationError);
    try {
      extract(config);
    } catch (error) {
      const { faults, code, recovery } = error as ConfigurationError;
      expect({ code, recovery }).toEqual({ code: 'CONFIG_INVALID', recovery: 'fatal' });
      expect(faults.map(({ path }) => path)).toEqual(['api.http.headers.a', 'config.jobs[0].params.b']);
    }
    expect(server.requests).toEqual([]);
  });

  it('refuses mappings whose tables do not agree, before any request', async () => {
    const origin = await served({});
    const mappings = {
      a: { id: 'id', tags: { type: 'table', destination: 'b', tableMapping: { '.': 'tag' } } },
      b: { other: 'other' },
    };
    expect(() => validate(jobsAt(origin, ['a'], {}, { mappings }))).toThrow(
      /config\.mappings\..*Multiple results for 'b' table have different columns!/,
    );
  });

  it('validate counts jobs and gives warnings without a request', async () => {
    const origin = await served({});
    expect(validate({ ...jobsAt(origin, ['a', 'b']), typo: 1 })).toMatchObject({
      jobs: 2,
      warnings: [{ path: 'typo' }],
    });
    expect(server.requests).toEqual([]);
  });

  it('keeps integers beyond 2^53 and warns of unknown keys in the events', async () => {
    const origin = await served({ '/a': bytes('{"rows":[{"id":9007199254740993}],"10":1,"2":2}') });
    const config = { ...jobsAt(origin, ['a']), typo: 1 };
    const events = await lastValueFrom(extract(config).events$.pipe(toArray()));
    expect(events.flatMap((event) => (event.type === 'page.extracted' ? event.page.items : []))).toEqual([
      { id: 9007199254740993n },
    ]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'warning', code: 'CONFIGURATION' }));
  });

  it('a body that is no JSON is an error, never an empty page', async () => {
    const origin = await served({ '/a': bytes('<html>Busy</html>') });
    await expect(lastValueFrom(extract(jobsAt(origin, ['a'])).items$)).rejects.toMatchObject({ code: 'API_NOT_JSON' });
  });

  it('the first of many items can be taken without the rest', async () => {
    const { items$ } = extract(jobsAt(await pagesServed(), ['a'], offset));
    expect(await lastValueFrom(items$.pipe(take(1)))).toBe(1);
    expect(server.requests).toHaveLength(1);
  });

  it('a fetch of choice carries the requests', async () => {
    const origin = await served({});
    const urls: string[] = [];
    const fetch = (input: string | URL | globalThis.Request): Promise<globalThis.Response> => {
      urls.push(input instanceof Request ? input.url : String(input));
      return Promise.resolve(new Response('[7]'));
    };
    expect(await lastValueFrom(extract(jobsAt(origin, ['a']), { fetch }).items$)).toBe(7);
    expect(urls).toEqual([`${origin}/a`]);
  });
});
