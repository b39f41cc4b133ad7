import { createOverview } from '../../src/studio/overview';

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
