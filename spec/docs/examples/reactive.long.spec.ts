/** The samples in examples/reactive/ do what they say, with the package they name taken from src/. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

jest.mock('headwater', () => jest.requireActual<object>('../../../src'), { virtual: true });
jest.mock('headwater/operators', () => jest.requireActual<object>('../../../src/operators'), { virtual: true });

const FOLDER = join(__dirname, '../../../examples/reactive');

const printed: Readonly<Record<string, readonly string[]>> = {
  'client.cjs': ['12 rivers chosen, the last with 5 stations', 'a request of its own: status 200', 'logins: 1'],
  'merge-two.cjs': [
    'SAL-03  Kiln Bend: 154.5 cm',
    'SAL-04  Long Meadow: 161.5 cm',
    'SAL-05  Harbour: 168.5 cm',
    'high water at 3 of 13 stations',
    'pages fetched and not stored: never more than 3',
  ],
  'service.cjs': [
    '[MeasurementsService] started',
    'first measurement: 81.5 cm at ALD-01',
    '[MeasurementsService] stopped',
    'connections open: 0',
    'events: 4 before the end, 0 after it',
  ],
  'tune-live.cjs': [
    'measurements of 13 stations, in the order of the stations',
    '17 requests, of which the API turned down 3',
    'more at once after 13 answers, half as much after 3 refusals',
  ],
  'parameters.cjs': ['MAR-01: 102.5 cm, MAR-01: 104 cm', 'parameters.station: expected a string, found a number'],
  'go-on.cjs': ['16 items stored, 16 of them different, after 2 failures'],
  'node-pipeline.cjs': [
    '39 lines, 2929 bytes',
    'first: {"station":"ALD-01","time":"2025-03-01T06:00:00Z","levelCentimetres":81.5}',
    'last: {"station":"SAL-05","time":"2025-03-01T18:00:00Z","levelCentimetres":168.5}',
  ],
};

describe('the samples in examples/reactive/', () => {
  afterEach(() => jest.restoreAllMocks());

  it('are all run here', () => {
    expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(printed).sort());
  });

  it.each(Object.entries(printed))('%s prints what it found and ends by itself', async (file, lines) => {
    const log = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    await jest.requireActual<Promise<void>>(join(FOLDER, file));
    expect(log.mock.calls.map(([line]) => String(line))).toEqual(lines);
  });
});
