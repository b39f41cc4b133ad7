import { createHash } from 'node:crypto';
import { jobNameOf } from '../../src/core/job-name';

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
