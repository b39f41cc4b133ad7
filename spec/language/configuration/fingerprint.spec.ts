import type { Json } from '../../../src/core/model';
import { fingerprintOf } from '../../../src/language/configuration/fingerprint';

const config = (changes: object = {}, iteration: object = { n: 1 }): Json =>
  ({
    api: { baseUrl: 'https://api.example/', '#token': 'a', headers: ['a', 'b'] },
    config: { jobs: [{ endpoint: 'x', params: { maxColumns: 1 } }], ...changes },
    iterations: [iteration],
  }) as Json;
const print = fingerprintOf(config());

describe('the fingerprint of a configuration', () => {
  it('is the same for the same configuration, and short enough to be kept', () => {
    expect(fingerprintOf(config())).toBe(print);
    expect(print).toMatch(/^[\w-]{43}\.[\w-]{43}$/);
  });

  it.each<[string, Json]>([
    ['a job', config({ jobs: [{ endpoint: 'y', params: { maxColumns: 1 } }] })],
    ['a parameter that is called like a setting', config({ jobs: [{ endpoint: 'x', params: { maxColumns: 2 } }] })],
    ['a run', config({}, { n: 2 })],
    ['a setting beside the configuration', { ...(config() as object), completeness: 'off' }],
    ['nothing', null],
  ])('is another one with %s', (_, other) => {
    expect(fingerprintOf(other)).not.toBe(print);
  });

  it('tells the orders of an array, and numbers from strings, apart', () => {
    expect(fingerprintOf(['a', 'b'])).not.toBe(fingerprintOf(['b', 'a']));
    expect(fingerprintOf({ n: 1 })).not.toBe(fingerprintOf({ n: '1' }));
  });

  it('does not depend on secrets, wherever they stand', () => {
    expect(fingerprintOf(config({ '#password': 'p' }, { n: 1, '#key': 'k' }))).toBe(print);
    expect(fingerprintOf([{ a: 1, '#b': 2 }])).toBe(fingerprintOf([{ a: 1 }]));
  });

  it('does not depend on what runs are judged by', () => {
    expect(fingerprintOf(config({ maxColumns: 9, completeness: 'warning' }))).toBe(print);
    expect(fingerprintOf(config({}, { n: 1, maxColumns: 9, completeness: 'off' }))).toBe(print);
  });
});
