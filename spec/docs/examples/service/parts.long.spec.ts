/** What of the example service needs no NATS server: its types, its judgement of failures, its folders, its HTTP side. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FatalError, RetryableError } from '../../../../src';
import { linkPackage, SERVICE } from './support';

jest.mock('headwater', () => jest.requireActual<object>('../../../../src'), { virtual: true });
jest.mock('headwater/otel', () => jest.requireActual<object>('../../../../src/otel'), { virtual: true });

interface Outcome {
  readonly type: string;
  readonly afterMs?: number;
}
type Judge = (
  error: unknown,
  message: { deliveries: number; isStopping: boolean },
  settings: { retryMs: number; maxRetryMs: number; maxDeliveries: number },
) => Outcome;
interface Http {
  readonly listen: (at: { host: string; port: number }) => Promise<string>;
  readonly close: () => Promise<void>;
}
interface Telemetry {
  readonly running: { readonly add: (value: number) => void };
  readonly stop: () => Promise<void>;
}
type CreateHttp = (service: { settings: object; telemetry: Telemetry; isReady: () => boolean }) => Http;

const part = (name: string): string => join(SERVICE, 'src', name);
const { outcomeOf, BadMessage } = jest.requireActual<{ outcomeOf: Judge; BadMessage: new (text: string) => Error }>(
  part('outcome.js'),
);
const { folderOf, removeOldFolders } = jest.requireActual<{
  folderOf: (root: string, tenant: string, id: string) => string;
  removeOldFolders: (root: string, olderThanMs: number) => Promise<number>;
}>(part('folders.js'));
const { settingsFrom } = jest.requireActual<{ settingsFrom: (env: Record<string, string>) => Record<string, unknown> }>(
  part('settings.js'),
);
const { requestIn } = jest.requireActual<{ requestIn: (message: { string: () => string }) => unknown }>(part('run.js'));
const { createHttp } = jest.requireActual<{ createHttp: CreateHttp }>(part('http.js'));
const { startTelemetry } = jest.requireActual<{ startTelemetry: (settings: { traces: string }) => Promise<Telemetry> }>(
  part('telemetry.js'),
);

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));
const temporary = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'headwater-service-'));
  folders.push(folder);
  return folder;
};

describe('the example service', () => {
  it('compiles in strict TypeScript, by the declarations of the built package', () => {
    linkPackage();
    const tsc = join(SERVICE, '../../node_modules/typescript/bin/tsc');
    const run = (): string => {
      try {
        return execFileSync(process.execPath, [tsc, '-p', SERVICE], { encoding: 'utf8' });
      } catch (error) {
        return String((error as { stdout: unknown }).stdout);
      }
    };
    expect(run()).toBe('');
  }, 120_000);

  it('has files of under 120 lines', () => {
    const long = readdirSync(join(SERVICE, 'src')).filter(
      (name) => readFileSync(join(SERVICE, 'src', name), 'utf8').split('\n').length > 120,
    );
    expect(long).toEqual([]);
  });
});

describe('what becomes of a message', () => {
  const settings = { retryMs: 1000, maxRetryMs: 60_000, maxDeliveries: 10 };
  const judge = (error: unknown, deliveries = 1, isStopping = false) =>
    outcomeOf(error, { deliveries, isStopping }, settings);
  const outage = new RetryableError('API_STATUS', undefined, 'too busy');

  it('comes again after a failure that may pass, each time later, up to a longest pause', () => {
    expect([1, 2, 3, 7].map((deliveries) => judge(outage, deliveries).afterMs)).toEqual([1000, 2000, 4000, 60_000]);
    expect(judge(outage)).toMatchObject({ type: 'again' });
  });

  it('waits for as long as the API asks', () => {
    const asked = new RetryableError('API_STATUS', undefined, 'too busy', { retryAfterSeconds: 90 });
    expect(judge(asked)).toMatchObject({ type: 'again', afterMs: 90_000 });
  });

  it.each([
    ['a fatal error', new FatalError('API_STATUS', 'not found')],
    ['a message that asks for nothing that there is', new BadMessage('no such configuration')],
  ])('is dead after %s', (_, error) => expect(judge(error)).toEqual({ type: 'dead', error }));

  it.each([
    ['a destination that is away', new FatalError('SINK_FAILED', 'away')],
    ['a run of the same message that is not over', new FatalError('DESTINATION_LOCKED', 'taken')],
    ['a defect', new TypeError('x is undefined')],
  ])('comes again after %s', (_, error) => expect(judge(error)).toMatchObject({ type: 'again', afterMs: 1000 }));

  it('is dead after too many deliveries, whatever the error', () =>
    expect(judge(outage, 10)).toEqual({ type: 'dead', error: outage }));

  it('comes again at once where the service stops', () =>
    expect(judge(new Error('The service stops.'), 10, true)).toMatchObject({ type: 'again', afterMs: 0 }));

  it.each(['{', 'null', '[]', '{}', '{"configuration":1}', '{"configuration":"a","parameters":[]}'])(
    'is refused as %s',
    (text) => expect(() => requestIn({ string: () => text })).toThrow(BadMessage),
  );

  it('has a configuration, and parameters if there are any', () =>
    expect(requestIn({ string: () => '{"configuration":"a"}' })).toEqual({ configuration: 'a', parameters: {} }));
});

describe('work folders', () => {
  it('are one a message and tenant, whatever its id', () => {
    const paths = ['a', 'b', '../a', ''].flatMap((id) => ['x', 'y'].map((tenant) => folderOf('work', tenant, id)));
    expect(new Set(paths).size).toBe(8);
    for (const path of paths) expect(path).toMatch(/^work\/[xy]\/[0-9a-f]{32}$/);
    expect(folderOf('work', 'x', 'a')).toBe(paths[0]);
  });

  it('are removed when neither they nor their journals were written to for long', async () => {
    const root = temporary();
    const old = new Date(Date.now() - 10_000);
    for (const name of ['old', 'new', 'working']) {
      mkdirSync(join(root, 'acme', name, 'journal'), { recursive: true });
      writeFileSync(join(root, 'acme', name, 'receipt.json'), '{}');
      if (name !== 'working') utimesSync(join(root, 'acme', name, 'journal'), old, old);
      utimesSync(join(root, 'acme', name), old, old);
    }
    utimesSync(join(root, 'acme', 'new'), new Date(), new Date());
    expect(await removeOldFolders(root, 5_000)).toBe(1);
    expect(readdirSync(join(root, 'acme')).sort()).toEqual(['new', 'working']);
    expect(await removeOldFolders(join(root, 'none'), 5_000)).toBe(0);
  });
});

describe('settings', () => {
  it('have defaults, and are refused when they are no numbers', () => {
    expect(settingsFrom({})).toMatchObject({ port: 8080, ackWaitMs: 30_000, traces: 'none', atOnce: 16 });
    expect(() => settingsFrom({ PORT: 'eighty' })).toThrow('PORT has to be a number');
  });
});

describe('the HTTP side', () => {
  it('answers probes and Prometheus', async () => {
    const telemetry = await startTelemetry({ traces: 'none' });
    let isReady = true;
    const http = createHttp({ settings: { logLevel: 'silent' }, telemetry, isReady: () => isReady });
    telemetry.running.add(2);
    const origin = await http.listen({ host: '127.0.0.1', port: 0 });
    const get = async (path: string) => {
      const response = await fetch(`${origin}${path}`);
      return [response.status, await response.text()];
    };
    expect(await get('/healthz')).toEqual([200, '{"status":"alive"}']);
    expect(await get('/readyz')).toEqual([200, '{"status":"ready"}']);
    isReady = false;
    expect(await get('/readyz')).toEqual([503, '{"status":"not ready"}']);
    expect((await get('/metrics'))[1]).toMatch(/^service_runs_active\{.*\} 2$/m);
    await http.close();
    await telemetry.stop();
  });
});
