import type { Page, RequestFields, RunEvent } from '../../src';
import { NOTHING_SEEN, createOverview, createTimeline } from '../../src/studio/timeline';

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
      timeline.onEvent(event);
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
    expect(timeline.after(NOTHING_SEEN).bars).toEqual([
      [0, 0, 0, 9, 'ok', 0],
      [0, 1, 5, 12, 'refused', 4],
      [0, 0, 10, 20, 'failed', 0],
    ]);
    expect(timeline.jobs()).toMatchObject([{ id: 'a', requests: 3, running: 0, bytes: 11 }]);
  });

  it('calls jobs as the configuration does, also in words, and logins so', () => {
    const timeline = createTimeline(() => 1_000, {
      nameOf: (path) => (path === 'config.jobs[0]' ? 'lakes' : undefined),
      placeOf: (path) => `base.yaml:7:7 ${path}`,
    });
    const login: RequestFields = { ...of('login', 1), purpose: { kind: 'login' } };
    timeline.onEvent({ type: 'request.sent', ...login });
    timeline.onEvent({ type: 'request.sent', ...of('3f1c', 2) });
    timeline.onEvent({
      type: 'retry.scheduled',
      retry: 1,
      delayMilliseconds: 60,
      because: 'of a status',
      ...of('3f1c', 2),
    });
    expect(timeline.jobs().map(({ name, path }) => [name, path])).toEqual([
      ['Login', 'base.yaml:7:7 login'],
      ['lakes', 'base.yaml:7:7 config.jobs[0]'],
    ]);
    expect(timeline.after(NOTHING_SEEN).marks.at(-1)?.text).toBe('lakes: again in 60 ms, because of a status');
  });

  it('keeps little of 100,000 requests, counts all, and says how many a reader has missed', () => {
    const { timeline, at } = begin();
    for (let request = 1; request <= 100_000; request += 1) {
      at(request, { type: 'request.sent', ...of('a', request) });
      at(request, { type: 'response.received', status: 200, bytes: 1, milliseconds: 1, ...of('a', request) });
    }
    const { bars, leftOut, seen, spans } = timeline.after(NOTHING_SEEN);
    expect([bars.length, seen.bars, leftOut]).toEqual([600, 100_000, 99_400]);
    expect(bars.at(-1)?.[2]).toBe(100_000);
    // All of it, in spans of 200 ms: 500 are fewer than 600.
    expect([spans.milliseconds, spans.changed.length]).toEqual([200, 501]);
    expect(spans.changed.reduce((sum, { ok }) => sum + ok, 0)).toBe(100_000);
    expect(timeline.jobs()).toMatchObject([{ requests: 100_000, running: 0 }]);
    expect(timeline.after(seen)).toMatchObject({ bars: [], leftOut: 0 });
  });

  const page = (job: string): RunEvent => ({
    type: 'page.extracted',
    page: { job: { id: job, path: `config.${job}` }, count: 1 } as unknown as Page,
  });

  it('keeps which pages each job had to hold, and for how long', () => {
    const { timeline, at } = begin();
    at(10, page('a'));
    at(20, page('a'));
    at(30, page('b'));
    // Nothing happens for three spans.
    at(350, page('b'));
    timeline.take([{ id: 'a', pages: 1 }]);
    expect(timeline.jobs()).toMatchObject([
      { id: 'a', held: 1 },
      { id: 'b', held: 2 },
    ]);
    const held = (job: number) =>
      timeline
        .after(NOTHING_SEEN)
        .spans.changed.filter((span) => span.job === job)
        .map((span) => [span.step, span.held]);
    expect(held(0)).toEqual([0, 1, 2, 3].map((step) => [step, 2]));
    expect(held(1)).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
      [3, 2],
    ]);
    timeline.end();
    expect(timeline.jobs()).toMatchObject([{ held: 0 }, { held: 0 }]);
  });

  it('tells until when retries and pauses wait, and credentials live', () => {
    const { timeline, at } = begin();
    at(5, { type: 'retry.scheduled', retry: 1, delayMilliseconds: 40, because: 'status 503', ...of('a', 1) });
    at(6, { type: 'requests.paused', until: new Date(1_500).toISOString(), because: 'status 429' });
    at(7, { type: 'credentials.renewed', expiresAt: new Date(2_000).toISOString() });
    at(8, { type: 'credentials.renewed' });
    expect(timeline.after(NOTHING_SEEN).marks).toMatchObject([
      { kind: 'retry', job: 0, until: 45 },
      { kind: 'paused', until: 500 },
      { kind: 'renewed', until: 1_000 },
      { kind: 'renewed', text: 'Logged in' },
    ]);
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

describe('the overview of a run', () => {
  it('adds up requests by job, span and fate', () => {
    const overview = createOverview();
    overview.add(0, 20, 'ok', 5);
    overview.add(0, 99, 'refused', 0);
    overview.add(1, 99, 'failed', 0);
    overview.add(0, 100, 'ok', 7);
    expect(overview.after(0)).toMatchObject({
      milliseconds: 100,
      changed: [
        { job: 0, step: 0, ok: 1, refused: 1, failed: 0, waited: 5 },
        { job: 1, step: 0, failed: 1 },
        { job: 0, step: 1, ok: 1, waited: 7 },
      ],
    });
  });

  it('tells a reader only what has changed', () => {
    const overview = createOverview();
    overview.add(0, 20, 'ok', 0);
    overview.add(0, 220, 'ok', 0);
    const { soFar } = overview.after(0);
    expect(overview.after(soFar).changed).toEqual([]);
    overview.add(0, 20, 'ok', 0);
    expect(overview.after(soFar).changed).toMatchObject([{ step: 0, ok: 2 }]);
  });

  it('has longer spans the longer the run is, and tells all of them again', () => {
    const overview = createOverview();
    overview.add(0, 150, 'ok', 0);
    overview.hold(0, 0, 250, 3);
    const { soFar } = overview.after(0);
    overview.add(0, 60_000, 'ok', 0);
    const { milliseconds, changed } = overview.after(soFar);
    expect(milliseconds).toBe(200);
    expect(changed).toMatchObject([
      { step: 0, ok: 1, held: 3 },
      { step: 1, ok: 0, held: 3 },
      { step: 300, ok: 1 },
    ]);
  });

  it('takes no more memory for a day of many jobs than for a minute of one', () => {
    const overview = createOverview();
    for (let second = 0; second < 86_400; second += 60)
      for (let job = 0; job < 200; job += 1) overview.add(job, second * 1_000, 'ok', 0);
    const { changed } = overview.after(0);
    expect(changed.length).toBeLessThanOrEqual(6_000);
    expect(changed.reduce((sum, { ok }) => sum + ok, 0)).toBe(1_440 * 200);
  });
});
