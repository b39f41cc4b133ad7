/** The samples in examples/library/ do what they say, with the package they name taken from src/. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

jest.mock('headwater', () => jest.requireActual<object>('../../../src'), { virtual: true });

const FOLDER = join(__dirname, '../../../examples/library');

const printed: Readonly<Record<string, readonly string[]>> = {
  'subscribe.cjs': [
    'SAL-01  Spring Hill, sensor 9007199254741001',
    'SAL-02  Heron Reach, sensor 9007199254741002',
    'SAL-03  Kiln Bend, sensor 9007199254741003',
    'SAL-04  Long Meadow, sensor 9007199254741004',
    'SAL-05  Harbour, sensor 9007199254741005',
    '5 stations on the Sallow',
  ],
  'for-await.cjs': [
    'High water at MAR-01: 102.5 cm at 2025-03-01T06:00:00Z',
    'found after 3 requests for pages; the rest was never asked for',
  ],
  'progress.cjs': [
    'logged in',
    '4 items so far',
    '8 items so far',
    '12 items so far',
    '13 items so far',
    'the API answered with status 429: {"message":"Too many requests."}; again in 1000 ms',
    '16 items so far',
  ],
  'typed-items.cjs': [
    '8 stations, the first: ALD-01 Mill Weir',
    '5 were refused, the first: item 3: the Marl is not ours',
    '4 pages were requested, of this job alone',
  ],
  'cancel.cjs': ['takeUntil: completed with 1 page', 'AbortSignal: the service is shutting down'],
};

describe('the samples in examples/library/', () => {
  afterEach(() => jest.restoreAllMocks());

  it('are all run here', () => {
    const samples = readdirSync(FOLDER).filter((file) => file !== 'with-example-api.cjs');
    expect(samples.sort()).toEqual(Object.keys(printed).sort());
  });

  it.each(Object.entries(printed))('%s prints what it found and ends by itself', async (file, lines) => {
    const log = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    await jest.requireActual<Promise<void>>(join(FOLDER, file));
    expect(log.mock.calls.map(([line]) => String(line))).toEqual(lines);
  });
});
