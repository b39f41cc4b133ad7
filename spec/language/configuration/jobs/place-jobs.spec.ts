import { configuration, run, warnings } from '../support';

const jobsOf = (jobs: unknown, more: Record<string, unknown> = {}) =>
  run(configuration({}, { ...more, jobs })).settings.jobs;

describe('the place of jobs', () => {
  it('language 6.1: a later job of the same id replaces the earlier one at the earlier place', () => {
    const jobs = [
      { endpoint: 'a', id: 'x' },
      { endpoint: 'b', id: 'y' },
      { endpoint: 'c', id: 'x' },
    ];
    expect(jobsOf(jobs).map(({ endpoint, path }) => [endpoint, path])).toEqual([
      ['c', 'config.jobs[2]'],
      ['b', 'config.jobs[1]'],
    ]);
    expect(warnings(configuration({}, { jobs }))).toEqual([
      'config.jobs[0]: has no effect: entry 2 of the array is the same job (equal id or equal content)',
    ]);
  });

  it('language 6.1: literally equal jobs run once, in lists of children as well', () => {
    const child = { endpoint: 'x/{id}', placeholders: { id: 'id' } };
    const jobs = jobsOf([{ endpoint: 'a' }, { endpoint: 'a' }, { endpoint: 'b', children: [child, child] }]);
    expect(jobs.map(({ endpoint }) => endpoint)).toEqual(['a', 'b']);
    expect(jobs[1]?.children.map(({ path }) => path)).toEqual(['config.jobs[2].children[1]']);
  });

  it('requestLimit: a job takes its own, else that of its parent, else that of config, else 100000', () => {
    const leaf = { endpoint: 'leaf/{id}', placeholders: { id: 'id' } };
    const jobs = jobsOf(
      [{ endpoint: 'a', requestLimit: 5, children: [leaf, { ...leaf, requestLimit: 2 }] }, { endpoint: 'b' }],
      {
        requestLimit: '50',
      },
    );
    expect(jobs.map(({ requestLimit }) => requestLimit)).toEqual([5, 50]);
    expect(jobs[0]?.children.map(({ requestLimit }) => requestLimit)).toEqual([5, 2]);
    expect(jobsOf([{ endpoint: 'a' }])[0]?.requestLimit).toBe(100_000);
  });
});
