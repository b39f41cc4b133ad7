import { accepted, configuration, faults, warnings } from './support';

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
