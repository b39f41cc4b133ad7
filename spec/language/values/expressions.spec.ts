import { configuration, faults, mistakes, withJob } from '../configuration/support';

describe('calls of functions with misspelled arguments', () => {
  it.each(['arg', 'Args', 'ags', 'arguments'])('%s is refused: the function would be called without any', (key) => {
    const call = { function: 'concat', [key]: ['a', 'b'] };
    const message = 'has no effect: unknown key; did you mean "args"?';
    expect(mistakes(withJob({ params: { q: { inner: call } } }))).toEqual([
      `config.jobs[0].params.q.inner.${key}: ${message}`,
    ]);
    expect(mistakes(configuration({ http: { headers: { A: call } } }))).toEqual([
      `api.http.headers.A.${key}: ${message}`,
    ]);
  });

  it('other objects may have such keys', () => {
    const params = { a: { arg: 1 }, b: { function: 'time' }, c: { function: 'concat', args: ['a'], arg: 1 } };
    expect(faults(withJob({ params }))).toEqual([]);
    expect(faults(configuration({}, { attribute: { function: 'concat', arg: [] } }))).toEqual([]);
  });
});
