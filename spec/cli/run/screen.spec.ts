import { screenLines, cut } from '../../../src/cli/run/screen';
import { durationOf, sizeOf, visible } from '../../../src/cli/run/progress-parts';
import { NO_RUN } from '../../../src';
import type { JobSnapshot, RunSnapshot } from '../../../src';

/** An ideogram takes two columns, as `string-width` says, which is an ES module. */
const measure = (text: string): number => text.length + (text.match(/\p{Script=Han}/gu)?.length ?? 0);

const jobOf = (at: number, more: Partial<JobSnapshot> = {}): JobSnapshot => ({
  ...{
    path: `config.jobs[${at}]`,
    name: `job-${at}`,
    state: 'running',
    calls: 1,
    ended: 0,
    emptyCalls: 0,
    startedAt: 0,
  },
  ...{ pages: 7, items: 2000, arrived: 2000, requests: 8, retries: 2, bytes: 12_345_678, warnings: 0 },
  ...more,
});
const runOf = (...jobs: readonly JobSnapshot[]): RunSnapshot => ({
  ...NO_RUN,
  ...{ state: 'running', startedAt: 0, jobsInAll: jobs.length, jobs, requests: 8, retries: 2, bytes: 12_345_678 },
});
const linesOf = (run: RunSnapshot, columns = 200, rows = 24, now = 10_000): readonly string[] =>
  screenLines(run, now, { columns, rows }, measure);

describe('screenLines', () => {
  it('says of a job what there is, with the time that the rest of the total takes, and its children', () => {
    const child = jobOf(1, { parent: 'config.jobs[0]', name: 'levels', items: 5211, calls: 340, retries: 1, bytes: 0 });
    expect(linesOf(runOf(jobOf(0, { total: 5000 }), child))).toEqual([
      'job-0  2,000 of 5,000 items  15 s left  levels 5,211 items of 340 calls  200 items/s  7 pages  12 MB  3 retries',
      '10 s  0 of 2 jobs done  8 requests  2 retries  12 MB',
    ]);
  });

  it('sums children of all levels up, and says how many calls had nothing', () => {
    const child = jobOf(1, { path: 'config.jobs[0].children[0]', parent: 'config.jobs[0]', name: 'levels', items: 3 });
    const below = { parent: 'config.jobs[0].children[0]', name: 'hours', items: 1, calls: 4001, emptyCalls: 2401 };
    const [line, ...others] = linesOf(runOf(jobOf(0), child, jobOf(2, below)));
    expect(line).toContain('  levels 3 items of 1 call  hours 1 item, 2,401 of 4,001 calls had none  ');
    expect(others).toHaveLength(1);
  });

  it('says how long a wait is, and how long the credentials live', () => {
    const until = new Date(14_000).toISOString();
    const run = { ...runOf(), paused: { until, because: 'status 429' }, logins: 1, credentialsExpireAt: until };
    expect(linesOf(run)).toEqual([
      '10 s  waits 4.0 s for a limit (status 429)  8 requests  2 retries  12 MB  logged in, expires in 4.0 s',
    ]);
    expect(linesOf(run, 200, 24, 15_000)[0]).toContain('login expired');
    expect(linesOf(run, 200, 24, 15_000)[0]).not.toContain('waits');
    const retrying = { ...run, retrying: { since: 5_000, until: 32_000, because: 'status 503' } };
    expect(linesOf(retrying, 200, 24, 5_900)[0]).not.toContain('retries in');
    expect(linesOf(retrying, 200, 24, 20_000)[0]).toContain('retries in 12 s, no page for 15 s (status 503)');
    expect(linesOf(retrying, 200, 24, 33_000)[0]).toContain('retries now, no page for 28 s (status 503)');
  });

  it.each([0, 1, 10, 20, 40, 80, 120])('is never wider than %i columns, whatever a job is called', (columns) => {
    const run = runOf(jobOf(0, { name: '水位の測定'.repeat(30) }), jobOf(1, { name: 'x'.repeat(300), total: 9000 }));
    for (const line of linesOf(run, columns)) expect(measure(line)).toBeLessThanOrEqual(columns);
  });

  it.each([3, 5, 24, 50])('has fewer lines than %i rows, and counts the other jobs', (rows) => {
    const jobs = Array.from({ length: 40 }, (_, at) => jobOf(at, at === 3 ? {} : { state: 'finished', endedAt: 1 }));
    const lines = linesOf(runOf(...jobs), 80, rows);
    expect(lines.length).toBeLessThan(rows);
    const shown = lines.filter((line) => line.startsWith('job-')).length;
    expect(lines.some((line) => line.includes(`and ${40 - shown} more job`))).toBe(shown < 40);
    // What runs is shown, however many are over.
    if (rows > 3) expect(lines.some((line) => line.startsWith('job-3 '))).toBe(true);
  });

  it('obeys nothing that a name or an API says', () => {
    const run = {
      ...runOf(jobOf(0, { name: 'a\u001b[2J\nb' })),
      paused: { until: '2099-01-01T00:00:00Z', because: '\u0007' },
    };
    expect(linesOf(run).join('')).not.toMatch(/\p{Cc}/u);
    expect(visible('a\u001b[2Jb\u202E')).toBe('a\\u001b[2Jb\\u202e');
  });
});

describe('the words of progress', () => {
  it.each([
    [999, '999 B'],
    [1_234_567, '1.2 MB'],
    [45_000_000_000_000_000, '45,000 TB'],
  ])('%i bytes are %s', (bytes, text) => {
    expect(sizeOf(bytes)).toBe(text);
  });

  it.each([
    [-5, '0.0 s'],
    [12_340, '12 s'],
    [95_000, '1 min 35 s'],
    [7_380_000, '2 h 3 min'],
  ])('%i milliseconds are %s', (milliseconds, text) => {
    expect(durationOf(milliseconds)).toBe(text);
  });

  it('never cuts a character in two', () => {
    expect(cut('水位', 3, measure)).toBe('水…');
    expect(cut('水位', 2, measure)).toBe('…');
  });
});
