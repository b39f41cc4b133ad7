import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { counted, grouped, jobNameOf } from '../../src/core/text';

describe('numbers for people', () => {
  it('are grouped as the runtime groups them', () => {
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeInteger(), fc.integer()), (count) => {
        expect(grouped(count)).toBe(count.toLocaleString('en'));
      }),
    );
  });

  it('have their noun in the right number', () => {
    expect([0, 1, 1200].map((count) => counted(count, 'item'))).toEqual(['0 items', '1 item', '1,200 items']);
  });
});

describe('jobNameOf', () => {
  const digest = createHash('sha1').update('{}').digest('hex');

  it.each([
    [{ id: 'stations', dataType: 'station', endpoint: 'v1/stations' }, 'stations'],
    [{ id: digest, dataType: 'station', endpoint: 'v1/stations' }, 'station'],
    [{ id: digest, dataType: '', endpoint: 'v1/stations' }, 'v1/stations'],
  ])('%j', (job, name) => {
    expect(jobNameOf(job)).toBe(name);
  });
});
