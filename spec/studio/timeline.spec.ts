import type { RequestFields, RunEvent } from '../../src';
import { createTimeline } from '../../src/studio/timeline';

const of = (job: string, request: number): RequestFields => ({
  ...{
    purpose: { kind: 'page', job, path: 'config.jobs[0]' },
    method: 'GET',
    url: 'http://api.example/',
    request,
    attempt: 1,
  },
});

describe('the timeline of the studio', () => {
  const begin = () => {
    let now = 1_000;
    const timeline = createTimeline(() => now);
    const at = (moment: number, event: RunEvent): void => {
      now = 1_000 + moment;
      timeline.hear(event);
    };
    return { timeline, at };
  };

  it('puts requests that overlap into lanes, and tells what became of each', () => {
    const { timeline, at } = begin();
    at(0, { type: 'request.sent', ...of('a', 1) });
    at(5, { type: 'request.held', waitedMilliseconds: 4, ...of('a', 2) });
    at(5, { type: 'request.sent', ...of('a', 2) });
    at(9, { type: 'response.received', status: 200, bytes: 10, milliseconds: 9, ...of('a', 1) });
    at(10, { type: 'request.sent', ...of('a', 3) });
    at(12, { type: 'response.received', status: 429, bytes: 1, milliseconds: 7, ...of('a', 2) });
    at(20, { type: 'request.failed', error: { name: 'E', message: 'm' }, milliseconds: 10, ...of('a', 3) });
    expect(timeline.after(0, 0).bars).toEqual([
      [0, 0, 0, 9, 'ok', 0],
      [0, 1, 5, 12, 'refused', 4],
      [0, 0, 10, 20, 'failed', 0],
    ]);
    expect(timeline.jobs()).toMatchObject([{ id: 'a', requests: 3, running: 0, bytes: 11 }]);
  });

  it('keeps little of 100,000 requests, counts all, and says how many a reader has missed', () => {
    const { timeline, at } = begin();
    for (let request = 1; request <= 100_000; request += 1) {
      at(request, { type: 'request.sent', ...of('a', request) });
      at(request, { type: 'response.received', status: 200, bytes: 1, milliseconds: 1, ...of('a', request) });
    }
    const { bars, barsSoFar, leftOut } = timeline.after(0, 0);
    expect([bars.length, barsSoFar, leftOut]).toEqual([600, 100_000, 99_400]);
    expect(bars.at(-1)?.[2]).toBe(100_000);
    expect(timeline.jobs()).toMatchObject([{ requests: 100_000, running: 0 }]);
    expect(timeline.after(barsSoFar, 0)).toMatchObject({ bars: [], leftOut: 0 });
  });

  it('adds up jobs beyond the first hundreds', () => {
    const { timeline, at } = begin();
    for (let request = 1; request <= 500; request += 1)
      at(request, { type: 'request.sent', ...of(`job ${request}`, request) });
    const jobs = timeline.jobs();
    expect(jobs).toHaveLength(201);
    expect(jobs.at(-1)).toMatchObject({ id: 'others', requests: 300 });
  });
});
