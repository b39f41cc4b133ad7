/** Runs through real proxies. No name server knows the hosts of these specs: what is reached was reached through the proxy. */
import { lastValueFrom, toArray } from 'rxjs';
import { MockAgent } from 'undici';
import { ConfigurationError, HeadwaterError, diagnose, extract, preview } from '../../../src';
import type { ExtractOptions, Har, RunEvent } from '../../../src';
import { bytes, json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, Handler, ServerOptions } from '../../support/api-server';
import { createIdentity } from '../../support/certificates';
import type { Identity } from '../../support/certificates';
import { runToEnd } from '../../support/command';
import { jobsAt, tokenLogin } from '../../support/configurations';
import { startProxy } from '../../support/proxy-server';
import type { ProxyOptions, ProxyServer } from '../../support/proxy-server';
import { startSshServer } from '../../support/ssh-server';
import type { RunningSshServer, SshServerOptions } from '../../support/ssh-server';

describe('proxies', () => {
  const NAME = 'api.internal';
  const ONCE = { retryConfig: { maxRetries: 0 } };

  describe('a run whose hosts are behind a proxy', () => {
    let identity: Identity;
    beforeAll(() => void (identity = createIdentity({ name: NAME })));

    async function setUp(options: ProxyOptions = {}, ofServer: ServerOptions = {}): Promise<[ApiServer, ProxyServer]> {
      const api = await startServer(({ url }) => json([url]), ofServer);
      return [api, await startProxy(options)];
    }
    const hidden = ({ origin }: ApiServer): string => origin.replace(/localhost|127\.0\.0\.1/, NAME);
    const itemsOf = (config: object, options: ExtractOptions): Promise<unknown[]> =>
      lastValueFrom(extract(config, options).items$.pipe(toArray()));
    const withCredentials = (proxy: ProxyServer, pair: string): string => proxy.origin.replace('://', `://${pair}@`);

    it('asks the proxy for plain addresses, with the host of the API, and closes its connections at the end', async () => {
      const [api, proxy] = await setUp();
      const base = hidden(api);
      expect(await itemsOf(jobsAt(base, ['a', 'b?x=1'], {}), { proxies: { HTTP_PROXY: proxy.origin } })).toEqual([
        '/a',
        '/b?x=1',
      ]);
      expect(proxy.asked).toEqual([`GET ${base}/a`, `GET ${base}/b?x=1`]);
      expect(api.requests.map(({ headers }) => headers.host)).toEqual([new URL(base).host, new URL(base).host]);
    });

    it('says that the proxy of a plain address wants other credentials', async () => {
      const [api, proxy] = await setUp({ credentials: 'me:x' });
      const proxies = { HTTP_PROXY: withCredentials(proxy, 'me:y') };
      await expect(itemsOf(jobsAt(hidden(api), ['a'], ONCE), { proxies })).rejects.toMatchObject({
        code: 'PROXY',
        message: expect.stringContaining('which HTTP_PROXY names, refuses the credentials (status 407)') as string,
      });
    });

    it('opens a tunnel for TLS, with the certificate of the API and credentials for the proxy alone', async () => {
      const [api, proxy] = await setUp({ credentials: 'me:p@ss-of-proxy' }, { identity });
      const base = hidden(api);
      const config = jobsAt(base, ['a', 'b'], { caCertificate: identity.certificate });
      const proxies = { https_proxy: withCredentials(proxy, 'me:p%40ss-of-proxy') };
      expect(await itemsOf(config, { proxies })).toEqual(['/a', '/b']);
      expect(proxy.asked).toEqual([`CONNECT ${new URL(base).host}`]);
      expect(api.requests.map(({ headers }) => headers['proxy-authorization'])).toEqual([undefined, undefined]);
      await expect(itemsOf(jobsAt(base, ['a'], ONCE), { proxies })).rejects.toMatchObject({
        code: 'NETWORK_CERTIFICATE',
      });
    });

    it('speaks TLS with a proxy that wants it, by the certificates that this machine trusts', async () => {
      const [api, proxy] = await setUp({ identity: createIdentity({}) });
      const proxies = { HTTP_PROXY: proxy.origin };
      const config = jobsAt(hidden(api), ['a'], { ...ONCE, caCertificate: identity.certificate });
      await expect(itemsOf(config, { proxies })).rejects.toMatchObject({
        code: 'NETWORK_CONNECT',
        message: expect.stringContaining(
          'which HTTP_PROXY names, cannot be reached. (DEPTH_ZERO_SELF_SIGNED_CERT)',
        ) as string,
      });
    });

    it('reaches hosts of NO_PROXY and this machine directly', async () => {
      const [api, proxy] = await setUp();
      expect(await itemsOf(jobsAt(api.origin, ['a'], {}), { proxies: { HTTP_PROXY: proxy.origin } })).toEqual(['/a']);
      const direct = { HTTP_PROXY: proxy.origin, NO_PROXY: NAME };
      await expect(itemsOf(jobsAt(hidden(api), ['a'], ONCE), { proxies: direct })).rejects.toMatchObject({
        code: expect.stringMatching(/^NETWORK_/) as string,
      });
      expect(proxy.asked).toEqual([]);
    });

    it.each<[string, ProxyOptions, string, string]>([
      ['asks for credentials', { credentials: 'me:x' }, 'PROXY', 'asks for credentials (status 407)'],
      ['forbids the host', { status: 403 }, 'PROXY', 'does not allow connections to'],
      ['does not reach the host', { status: 502 }, 'NETWORK_CONNECT', 'did not reach it. (status 502)'],
      ['closes the connection', { answers: 'nothing' }, 'NETWORK_CONNECT', 'cannot be reached. (ECONNRESET)'],
    ])('says that the proxy %s', async (_, options, code, message) => {
      const [api, proxy] = await setUp(options, { identity });
      const config = jobsAt(hidden(api), ['a'], ONCE);
      const { host } = new URL(proxy.origin);
      await expect(itemsOf(config, { proxies: { HTTPS_PROXY: proxy.origin } })).rejects.toMatchObject({
        code,
        message: expect.stringMatching(new RegExp(`the proxy ${host}, which HTTPS_PROXY names, .*`, 'i')) as string,
      });
      await expect(itemsOf(config, { proxies: { HTTPS_PROXY: proxy.origin } })).rejects.toThrow(message);
    });

    it('gives up on a proxy that never answers, in the time for a connection', async () => {
      const [api, proxy] = await setUp({ answers: 'never' }, { identity });
      const config = jobsAt(hidden(api), ['a'], { ...ONCE, http: { connectTimeout: 0.2 } });
      await expect(itemsOf(config, { proxies: { HTTPS_PROXY: proxy.origin } })).rejects.toMatchObject({
        code: 'NETWORK_CONNECT',
        message: expect.stringContaining('(ETIMEDOUT)') as string,
      });
    });

    it('retries what the proxy could not reach at first', async () => {
      const [api, proxy] = await setUp();
      await proxy.close();
      const config = jobsAt(hidden(api), ['a'], { retryConfig: { maxRetries: 1 } });
      const events: RunEvent[] = [];
      const proxies = { HTTP_PROXY: proxy.origin };
      await expect(itemsOf(config, { proxies, onEvent: (event) => events.push(event) })).rejects.toMatchObject({
        code: 'NETWORK_CONNECT',
        message: expect.stringContaining('which HTTP_PROXY names, cannot be reached. (ECONNREFUSED)') as string,
      });
      expect(events.filter(({ type }) => type === 'request.sent')).toHaveLength(2);
    });

    it('never shows the credentials of the proxy', async () => {
      const [api, proxy] = await setUp({ credentials: 'me:s3cret-of-proxy' });
      const proxies = { HTTP_PROXY: withCredentials(proxy, 'me:s3cret-of-proxy') };
      const reported: unknown[] = [];
      let recording: Har | undefined;
      await itemsOf(jobsAt(hidden(api), ['a'], {}), {
        proxies,
        onEvent: (event) => reported.push(event),
        record: (har) => (recording = har),
      });
      const config = jobsAt(hidden(api), ['a'], ONCE);
      reported.push(recording, await preview(config, { proxies }), await diagnose(config, { proxies }));
      await proxy.close();
      await itemsOf(config, { proxies }).catch((error: unknown) => reported.push(error, String(error)));
      const text = JSON.stringify(reported);
      expect(text).toContain('which HTTP_PROXY names');
      expect(text).not.toMatch(/s3cret-of-proxy/);
      expect(text).not.toContain(Buffer.from('me:s3cret-of-proxy').toString('base64'));
      expect(text.toLowerCase()).not.toContain('proxy-authorization');
    });

    it('is what the command does by itself, as curl does', async () => {
      const [api, proxy] = await setUp();
      const config = JSON.stringify(jobsAt(hidden(api), ['a'], ONCE));
      const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy', 'NO_PROXY', 'no_proxy'];
      const before = process.env;
      const others = Object.entries(before).filter(([name]) => !names.includes(name));
      process.env = { ...Object.fromEntries(others), HTTP_PROXY: proxy.origin };
      try {
        expect(await runToEnd(['run', '-'], config)).toMatchObject({ status: 0, stdout: '"/a"\n' });
        expect((await runToEnd(['preview', '-'], config)).stdout).toContain('response 200');
        const { stdout } = await runToEnd(['doctor', '-'], config);
        expect(stdout).toMatch(/ok +HTTP_PROXY: is set: requests go through http:\/\/127\.0\.0\.1:\d+/);
        expect(stdout.replace(/\s+/g, ' ')).toMatch(
          /ok host api\.internal:\d+: is reached through the proxy 127\.0\.0\.1:\d+: /,
        );
        expect(proxy.asked.map((line) => line.split(' ')[0])).toEqual(['GET', 'GET', 'HEAD']);
      } finally {
        process.env = before;
      }
    });
  });

  describe('doctor', () => {
    it('asks hosts through the proxy, and says what the proxy says', async () => {
      const identity = createIdentity({ name: NAME });
      const api = await startServer({ '/': json({}) }, { identity });
      const [open, shut] = [await startProxy(), await startProxy({ credentials: 'me:x' })];
      const base = api.origin.replace('localhost', NAME);
      const config = jobsAt(base, ['a'], { caCertificate: identity.certificate });
      const ofHost = async (proxies: Readonly<Record<string, string>>) =>
        (await diagnose(config, { proxies })).find(({ about }) => about.startsWith('host '));
      expect(await ofHost({ HTTPS_PROXY: open.origin })).toMatchObject({
        level: 'ok',
        message: expect.stringMatching(
          /^is reached through the proxy \S+: proxy \d+ ms, TLS \d+ ms, response \d+ ms$/,
        ) as string,
      });
      expect(await ofHost({ HTTPS_PROXY: shut.origin })).toMatchObject({
        level: 'fault',
        message: expect.stringContaining('asks for credentials (status 407)') as string,
        remedy: 'Check HTTP_PROXY, HTTPS_PROXY and NO_PROXY.',
      });
      const socks = await diagnose(config, { proxies: { ALL_PROXY: 'socks5://127.0.0.1:1080' } });
      expect(socks.find(({ about }) => about === 'ALL_PROXY')).toMatchObject({ level: 'warning' });
      expect(socks.find(({ about }) => about.startsWith('host '))).toMatchObject({ level: 'fault' });
    });
  });
});

/** The SSH proxy over whole runs, against real servers (language 1.7). */

describe('ssh proxy', () => {
  const NAME = 'api.internal';

  describe('language 1.7: a run with sshProxy', () => {
    const closing: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const close of closing.splice(0).reverse()) await close();
    });

    async function setUp(handler: Handler, options: SshServerOptions = {}): Promise<[ApiServer, RunningSshServer]> {
      const api = await startServer(handler);
      const gate = await startSshServer({ names: [NAME], ...options });
      closing.push(api.close, gate.close);
      return [api, gate];
    }
    /** A configuration for a host that only the proxy knows. */
    function configuration(api: ApiServer, { login }: RunningSshServer, more: object = {}): object {
      const { privateKey, ...rest } = login;
      return {
        ...jobsAt(api.origin.replace('localhost', NAME), ['a', 'b'], tokenLogin()),
        sshProxy: { ...rest, '#privateKey': privateKey },
        ...more,
      };
    }
    const eventsOf = (config: object): Promise<RunEvent[]> => lastValueFrom(extract(config).events$.pipe(toArray()));
    const itemsOf = (events: readonly RunEvent[]): unknown[] =>
      events.flatMap((event) => (event.type === 'page.extracted' ? event.page.items : []));
    const answer: Handler = ({ url }) => (url === '/login' ? json({ token: 't' }) : json([url]));

    it('sends logins and pages of all iterations through one tunnel, and closes it at the end', async () => {
      const [api, gate] = await setUp(answer);
      const events = await eventsOf(configuration(api, gate, { iterations: [{}, {}] }));
      expect(itemsOf(events)).toEqual(['/a', '/b', '/a', '/b']);
      expect(api.requests.map(({ url }) => url)).toEqual(['/login', '/a', '/b', '/login', '/a', '/b']);
      expect(gate.connections()).toBe(1);
      expect(new Set(gate.forwarded)).toEqual(new Set([`${NAME}:${new URL(api.origin).port}`]));
      await gate.deserted();
      expect(gate.openChannels()).toBe(0);
    });

    it('language 2.7: a request whose tunnel breaks is retried through a new one', async () => {
      let breaks = 1;
      const [api, gate] = await setUp((request) => {
        if (request.url !== '/b' || (breaks -= 1) < 0) return answer(request);
        return (response) => {
          response.writeHead(200, { 'content-length': '100' }).write('[', () => void gate.cut());
        };
      });
      const events = await eventsOf(configuration(api, gate));
      expect(itemsOf(events)).toEqual(['/a', '/b']);
      expect(events.filter(({ type }) => type === 'retry.scheduled')).toHaveLength(1);
      expect(gate.connections()).toBe(2);
    });

    it('the command ends by itself, and so does the connection', async () => {
      const [api, gate] = await setUp(answer);
      const { status, stdout, stderr } = await runToEnd(['run', '-'], JSON.stringify(configuration(api, gate)));
      expect(stderr).toContain('Extractor finished successfully.');
      expect({ status, stdout }).toEqual({ status: 0, stdout: '"/a"\n"/b"\n' });
      expect(gate.connections()).toBe(1);
    });

    it('the command ends by itself when the run fails, and shows nothing of the key', async () => {
      const [api, gate] = await setUp(() => bytes('no', {}, 400));
      const { status, stderr } = await runToEnd(
        ['run', '-', '--log-level', 'debug'],
        JSON.stringify(configuration(api, gate)),
      );
      expect(status).toBe(1);
      expect(stderr).toContain('The API request failed: [400]');
      expect(stderr).not.toContain(gate.login.privateKey.split('\n')[1]);
    });

    it('a run that is given up closes the tunnel', async () => {
      const [api, gate] = await setUp((request) => (request.url === '/login' ? answer(request) : () => undefined));
      const subscription = extract(configuration(api, gate)).items$.subscribe();
      await api.received(1);
      subscription.unsubscribe();
      await gate.deserted();
      expect(gate.openChannels()).toBe(0);
      expect(gate.connections()).toBe(1);
    });

    it('is refused together with a transport of the application', async () => {
      const [api, gate] = await setUp(answer);
      const dispatcher = new MockAgent();
      closing.push(() => dispatcher.close());
      for (const options of [{ dispatcher }, { fetch }]) {
        expect(() => extract(configuration(api, gate), options)).toThrow(ConfigurationError);
        expect(() => extract(configuration(api, gate), options)).toThrow(/sshProxy: makes connections of its own/);
      }
    });
  });
});

/** Certificates over whole runs, against a real server (language 2.6). */

describe('language 2.6: certificates of a run', () => {
  let server: ApiServer | undefined;
  afterEach(() => server?.close());

  const start = async (options: ServerOptions): Promise<string> => {
    server = await startServer({ '/login': json({ token: 't' }), '/items': json([1, 2]) }, options);
    return server.origin;
  };
  const itemsOf = (origin: string, api: object): Promise<unknown[]> => {
    const once = { retryConfig: { maxRetries: 0 } };
    return lastValueFrom(
      extract(jobsAt(origin, ['items'], { ...tokenLogin(), ...once, ...api })).items$.pipe(toArray()),
    );
  };
  const failureOf = (items: Promise<unknown>): Promise<HeadwaterError> =>
    items.then(
      () => Promise.reject(new Error('The run did not fail.')),
      (error: unknown) => error as HeadwaterError,
    );

  it('api.caCertificate makes a server trusted that signed its own certificate, for login and pages', async () => {
    const identity = createIdentity({});
    const origin = await start({ identity });
    expect(await itemsOf(origin, { caCertificate: identity.certificate })).toEqual([1, 2]);
    expect(server?.requests.map(({ url }) => url)).toEqual(['/login', '/items']);
  });

  it('without it the run fails, and the message names the setting', async () => {
    const origin = await start({ identity: createIdentity({}) });
    const failure = await failureOf(itemsOf(origin, {}));
    expect(failure).toBeInstanceOf(HeadwaterError);
    expect(failure.code).toBe('NETWORK_CERTIFICATE');
    expect(failure.message).toContain(
      `Cannot connect securely to ${new URL(origin).host} (GET ${origin}/login): the certificate of the server is not trusted.`,
    );
    expect(failure.message).toContain('api.caCertificate');
    expect(server?.requests).toEqual([]);
  });

  it('api.caCertificate replaces the trust store: another issuer is not enough', async () => {
    const origin = await start({ identity: createIdentity({}) });
    const { certificate } = createIdentity({});
    expect(await failureOf(itemsOf(origin, { caCertificate: certificate }))).toMatchObject({
      code: 'NETWORK_CERTIFICATE',
    });
  });

  describe('a server that asks for a client certificate', () => {
    const setUp = async () => {
      const issuer = createIdentity({ name: 'Example issuer' });
      const client = createIdentity({ name: 'client', issuer });
      const identity = createIdentity({ issuer });
      const origin = await start({ identity, clientIssuer: issuer.certificate });
      return { origin, client, caCertificate: issuer.certificate };
    };

    it('lets in api.#clientCertificate: certificate and key in one text', async () => {
      const { origin, client, caCertificate } = await setUp();
      const clientCertificate = `${client.certificate}\n${client.key}`;
      expect(await itemsOf(origin, { caCertificate, '#clientCertificate': clientCertificate })).toEqual([1, 2]);
    });

    it('refuses a run without one', async () => {
      const { origin, caCertificate } = await setUp();
      const failure = await failureOf(itemsOf(origin, { caCertificate }));
      // Whether its reason or the end of the connection arrives first is up to the system.
      expect(failure.code).toMatch(/^NETWORK_(TLS|EMPTY|RESET)$/);
      expect(failure.message).toMatch(
        /^(Cannot connect securely to|The connection to) localhost:\d+ (broke )?\(GET https:/,
      );
      expect(server?.requests).toEqual([]);
    });

    it('refuses the certificate of another issuer, and no message shows the key', async () => {
      const { origin, caCertificate } = await setUp();
      const stranger = createIdentity({ name: 'stranger' });
      const clientCertificate = `${stranger.certificate}\n${stranger.key}`;
      const failure = await failureOf(itemsOf(origin, { caCertificate, '#clientCertificate': clientCertificate }));
      expect(failure.code).toMatch(/^NETWORK_(TLS|EMPTY|RESET)$/);
      const [, keyLine = ''] = stranger.key.split('\n');
      expect(keyLine.length).toBeGreaterThan(20);
      expect(`${failure.message}\n${failure.stack ?? ''}`).not.toContain(keyLine);
    });
  });
});
