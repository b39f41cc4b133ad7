import { accepted, configuration, faults, run, warnings } from './support';

const iterated = (iterations: unknown, config: Record<string, unknown> = {}, api: Record<string, unknown> = {}) =>
  configuration(api, config, { iterations });

describe('iterations', () => {
  it('language 1.5: one run an entry, whose keys replace those of config without merging', () => {
    const input = iterated([{ http: { headers: { B: '2' } }, city: 'Oslo' }, {}, []], {
      http: { headers: { A: '1' } },
      city: 'Rome',
    });
    const { iterations } = accepted(input);
    expect(iterations.map(({ path }) => path)).toEqual(['iterations[0]', 'iterations[1]', 'iterations[2]']);
    expect(iterations.map(({ settings }) => settings.headers)).toEqual([{ B: '2' }, { A: '1' }, { A: '1' }]);
    expect(iterations.map(({ attributes }) => attributes['city'])).toEqual(['Oslo', 'Rome', 'Rome']);
  });

  it.each([undefined, null, [], {}, ''])('language 1.5: without iterations (%j) there is one run', (iterations) => {
    expect(accepted(iterated(iterations)).iterations.map(({ path }) => path)).toEqual(['config']);
  });

  it('language 1.4: attributes are config without jobs, in order', () => {
    const { iterations } = accepted(iterated([{ b: 2, c: 3 }], { a: 1, b: 1 }));
    expect(Object.entries(iterations[0]?.attributes ?? {})).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ]);
  });

  it('language 1.5: jobs and faults of an iteration stand where they were written', () => {
    const { iterations } = accepted(iterated([{ jobs: [{ endpoint: 'b' }] }, {}]));
    expect(iterations.map(({ settings }) => settings.jobs[0]?.path)).toEqual([
      'iterations[0].jobs[0]',
      'config.jobs[0]',
    ]);
    expect(faults(iterated([{}, { jobs: [{}] }]))).toEqual([
      'iterations[1].jobs[0].endpoint: required: the path or URL that the job requests',
    ]);
    expect(warnings(iterated([{}, { jobs: [{ endpoint: 'b', scroler: 'x' }] }]))).toEqual([
      'iterations[1].jobs[0].scroler: has no effect: unknown key; did you mean "scroller"?',
    ]);
  });

  it('language 1.5: each run is decoded on its own, and a shared fault is reported once', () => {
    const basic = { authentication: { type: 'basic' } };
    const { iterations } = accepted(iterated([{ username: 'a' }, { username: 'b' }], { '#password': 'p' }, basic));
    expect(iterations.map(({ api }) => api.authentication?.credentials)).toEqual([
      { username: 'a', password: 'p' },
      { username: 'b', password: 'p' },
    ]);
    expect(faults(iterated([{}, {}], { jobs: null }))).toEqual(['config.jobs: required: an array of at least one job']);
  });

  it('language 1.5: refuses what is no list of objects', () => {
    expect(faults(iterated('x'))).toEqual(['iterations: expected an array of objects, found a string of 1 character']);
    expect(faults(iterated([{}, 5]))).toEqual(['iterations[1]: expected an object, found 5']);
  });
});

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
