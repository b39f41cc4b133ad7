import { NO_RUN } from '../../../src';
import type { RunSnapshot } from '../../../src';
import { EVERY, progressFields, reportProgress } from '../../../src/cli/run/console';

describe('reportProgress', () => {
  beforeEach(() => jest.useFakeTimers({ now: 0 }));
  afterEach(() => jest.useRealTimers());
  const counts = { pages: 1, items: 3, requests: 1, retries: 0, bytes: 0, warnings: 0 };
  const running: RunSnapshot = {
    ...{ ...NO_RUN, ...counts, state: 'running', run: 'r', startedAt: 0, jobsInAll: 1 },
    jobs: [
      {
        ...counts,
        path: 'p',
        name: 'rivers',
        state: 'running',
        calls: 1,
        ended: 0,
        emptyCalls: 0,
        arrived: 3,
        startedAt: 0,
      },
    ],
  };

  it('says every ten seconds how far the run is, as text and as fields, and nothing of a short run', () => {
    const entries: unknown[] = [];
    const end = reportProgress({ log: (...entry) => entries.push(entry) }, () => running);
    jest.advanceTimersByTime(EVERY - 1);
    expect(entries).toEqual([]);
    jest.advanceTimersByTime(1);
    const line = 'Progress after 10 s, 1 request; rivers: 3 items, 0.3 items/s, 1 page';
    expect(entries).toEqual([['info', line, progressFields(running, EVERY)]]);
    end();
    jest.advanceTimersByTime(10 * EVERY);
    expect(entries).toHaveLength(1);
  });

  it('says what a run waits for whose first request is retried', () => {
    const lines: string[] = [];
    const retrying = { since: 100, until: 14_000, because: 'status 503' };
    const end = reportProgress({ log: (_, line) => lines.push(line) }, () => ({ ...running, jobs: [], retrying }));
    jest.advanceTimersByTime(EVERY);
    end();
    expect(lines).toEqual(['Progress after 10 s, retries in 4.0 s, no page for 9.9 s (status 503), 1 request']);
  });

  it('has jobs by name in its fields', () => {
    expect(progressFields(running, EVERY)).toMatchObject({
      ...{ event: 'progress', run: 'r', items: 3, milliseconds: EVERY },
      jobs: [{ job: 'rivers', path: 'p', items: 3, milliseconds: EVERY }],
    });
  });
});
