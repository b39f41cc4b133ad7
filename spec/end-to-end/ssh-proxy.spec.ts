/** The SSH proxy over whole runs, against real servers (language 1.7). */
import { lastValueFrom, toArray } from 'rxjs';
import { MockAgent } from 'undici';
import { ConfigurationError, extract } from '../../src';
import type { RunEvent } from '../../src';
import { bytes, json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer, Handler } from '../support/api-server';
import { runToEnd } from '../support/command';
import { jobsAt, tokenLogin } from '../support/configurations';
import { startSshServer } from '../support/ssh-server';
import type { RunningSshServer, SshServerOptions } from '../support/ssh-server';

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
