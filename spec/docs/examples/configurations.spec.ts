/** Every configuration in examples/ against the example API, compared with the API's own data. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bulletins, measurements, rivers, stations, surveys } from '../../../examples/api/river-network.cjs';
import { startServer } from '../../../examples/api/server.cjs';
import type { RunningServer, ServerOptions } from '../../../examples/api/server.cjs';
import { configurationAt } from '../../../examples/configuration.cjs';
import { ConfigurationError, extract, validate } from '../../../src';
import type { Item, RunEvent } from '../../../src';

const EXAMPLES = join(__dirname, '../../../examples');
const FAULTY = 'misspelled.json';
/** Nobody has to wait for a moment in the past. */
const AT_ONCE = 'Thu, 01 Jan 1970 00:00:00 GMT';

const expected: Readonly<Record<string, readonly unknown[]>> = {
  'stations.json': [...stations, ...rivers],
  'stations-of-one-river.json': [
    ...stations.filter(({ river }) => river === 'ALD'),
    ...stations.filter(({ river }) => river === 'MAR').slice(1),
  ],
  'measurements.json': measurements,
  'surveys.json': surveys,
  'warnings-by-query.json': bulletins.filter(({ level }) => level === 'warning'),
  'signed-requests.json': stations,
};
const names = Object.keys(expected);

let api: RunningServer | undefined;
afterEach(() => api?.close());

interface Outcome {
  readonly items: readonly Item[];
  readonly events: readonly RunEvent[];
  readonly stats: RunningServer['stats'];
}

async function outcomeOf(name: string, options: ServerOptions): Promise<Outcome> {
  api = await startServer(options);
  const events: RunEvent[] = [];
  const items: Item[] = [];
  const extraction = extract(configurationAt(api.origin, name), { onEvent: (event) => events.push(event) });
  for await (const item of extraction) items.push(item);
  return { items, events, stats: api.stats };
}

describe('the configurations in examples/', () => {
  it('are all run here', () => {
    const files = readdirSync(EXAMPLES).filter((file) => file.endsWith('.json'));
    expect(files.sort()).toEqual([...names, FAULTY].sort());
  });

  it.each(names)('%s is valid, and every setting has an effect', (name) => {
    expect(validate(configurationAt('http://127.0.0.1:4010', name))).toMatchObject({
      jobs: name.startsWith('stations') ? 2 : 1,
      warnings: [],
    });
  });

  it.each(names)('%s gives the data of the API, digit for digit', async (name) => {
    const { items, stats } = await outcomeOf(name, { limitEvery: 0 });
    expect(items).toEqual(expected[name]);
    expect(stats).toMatchObject({ requests: stats.pages, refused: 0 });
  });

  it.each(names)('language 2.7: %s comes through status 429', async (name) => {
    const { items, events, stats } = await outcomeOf(name, { limitEvery: 2, retryAfter: AT_ONCE });
    expect(items).toEqual(expected[name]);
    expect(stats.limited).toBeGreaterThan(0);
    expect(events.filter(({ type }) => type === 'retry.scheduled')).toHaveLength(stats.limited);
  });

  it('specification 5 rule 3: surveys.json has no expires and logs in once', async () => {
    const { stats } = await outcomeOf('surveys.json', { limitEvery: 0 });
    expect(stats).toMatchObject({ logins: 1, requests: 2 });
  });

  it('specification 5 rule 5: warnings-by-query.json has expires 0 and logs in before each request', async () => {
    const { stats } = await outcomeOf('warnings-by-query.json', { limitEvery: 0 });
    expect(stats).toMatchObject({ logins: 2, requests: 2 });
  });

  it('specification 5 rule 6: stations.json takes the expiry from the login response', async () => {
    const { events, stats } = await outcomeOf('stations.json', { limitEvery: 0, tokenSeconds: 0 });
    expect(stats).toMatchObject({ logins: 5, requests: 5 });
    expect(events.filter(({ type }) => type === 'credentials.renewed')).toHaveLength(5);
  });
});

describe('the misspelled configuration in examples/', () => {
  it('is refused with all of its faults, in the words that examples/README.md shows', () => {
    const { message, faults } = refusalOf(configurationAt('http://127.0.0.1:4010', FAULTY));
    expect(faults.map(({ path }) => path)).toEqual([
      'api.authentication.loginRequest.method',
      'api.authentication.expires',
      'api.pagination.method',
      'config.jobs[0].endpoint',
    ]);
    expect(readFileSync(join(EXAMPLES, 'README.md'), 'utf8')).toContain(`\n${message}\n`);
  });
});

function refusalOf(config: unknown): ConfigurationError {
  try {
    validate(config);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('The configuration was accepted.');
}
