/** docs/extensions/misspelled-keys.md over whole runs. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { ConfigurationError, deliver, extract, sinks, validate } from '../../../src';
import type { Fault, Json } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { exampleAt } from './examples';

const PAGE = readFileSync(join(__dirname, '../../../docs/extensions/misspelled-keys.md'), 'utf8');
const example = (origin = 'http://127.0.0.1:9'): Json => {
  const { api, config } = exampleAt(origin, 'misspelled-keys.json');
  return JSON.parse(JSON.stringify({ api, config })) as Json;
};

function refusalOf(work: () => unknown): ConfigurationError {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

const placesOf = (faults: readonly Fault[]): readonly string[] => faults.map(({ path }) => path);
const REFUSED = ['api.pagniation', 'config.jobs[0].datafield', 'config.jobs[0].limit'];

describe('keys that look like others', () => {
  let server: ApiServer | undefined;
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-'));
  });
  afterEach(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('are refused by extract and validate, in the words that the page shows, with a code', () => {
    for (const work of [() => extract(example()), () => validate(example())]) {
      const { faults, message } = refusalOf(work);
      expect(placesOf(faults)).toEqual(REFUSED);
      expect(faults.map(({ code }) => code)).toEqual(REFUSED.map(() => 'MISTAKEN_KEY'));
      expect(PAGE).toContain(message);
    }
  });

  it('are refused by deliver before it opens a sink', async () => {
    const delivery = deliver(example(), [sinks.ndjson(join(folder, 'out'))]);
    await expect(delivery).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('are warnings of a lenient run, which goes on', async () => {
    server = await startServer({ '/v1/stations': json([{ id: 1 }]) });
    const config = example(server.origin);
    const extraction = extract(config, { lenient: true });
    expect(placesOf(extraction.warnings)).toEqual([...REFUSED, 'config.jobs[0].__note']);
    expect(extraction.warnings.filter(({ code }) => code !== undefined)).toEqual([]);
    expect(await lastValueFrom(extraction.items$.pipe(toArray()))).toEqual([{ id: 1 }]);
    const { stored } = await deliver(config, [sinks.ndjson(join(folder, 'out'))], { lenient: true });
    expect(stored).toHaveLength(1);
  });
});
