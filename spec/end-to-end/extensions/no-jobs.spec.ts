/** docs/extensions/no-jobs.md over whole runs. */
import { lastValueFrom, toArray } from 'rxjs';
import { extract, validate } from '../../../src';
import { exampleAt } from './examples';

describe('an empty list of jobs', () => {
  const config = exampleAt('http://127.0.0.1:9', 'no-jobs.json');
  const warning = { path: 'config.jobs', message: 'is empty: there is nothing to do' };

  it('examples/extensions/no-jobs.json is valid, with a warning', () => {
    expect(validate(config)).toMatchObject({ jobs: 0, warnings: [warning] });
  });

  it('the run succeeds without a request, not even a login', async () => {
    const authentication = { type: 'login', loginRequest: { endpoint: 'login' } };
    const run = extract({ ...config, api: { ...config.api, authentication } });
    const events = await lastValueFrom(run.events$.pipe(toArray()));
    expect(events.map(({ type }) => type)).toEqual(['run.started', 'warning', 'run.finished']);
    expect(events.at(-1)).toMatchObject({ type: 'run.finished', pages: 0, items: 0, outcome: 'complete', jobs: [] });
  });
});
