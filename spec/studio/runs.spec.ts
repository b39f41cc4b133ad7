import { jobNameIn } from '../../src/studio/runs';

describe('the name of a job', () => {
  const config = {
    jobs: [
      { endpoint: 'lakes', id: 'all', dataType: 'lake', children: [{ endpoint: 'lakes/{id}', id: 7 }] },
      { endpoint: 'ponds', id: null },
      { endpoint: { function: 'concat', args: [] } },
    ],
  };

  it.each([
    ['config.jobs[0]', 'lake'],
    ['config.jobs[0].children[0]', '7'],
    ['config.jobs[1]', 'ponds'],
    ['config.jobs[2]', undefined],
    ['config.jobs[3]', undefined],
    ['login', undefined],
  ])('is that which a person has written: %s, %s', (path, name) => {
    expect(jobNameIn({ config }, path)).toBe(name);
    expect(jobNameIn({ parameters: { config } }, path)).toBe(name);
  });
});
