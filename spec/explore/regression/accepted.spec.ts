import { acceptedText, differencesOf, parseJson, readAccepted } from '../../../src';
import type { Json, ReplayedRun } from '../../../src';

const RUN: ReplayedRun = {
  error: 'INCOMPLETE',
  jobs: [
    {
      job: 'a "job"',
      iteration: 0,
      pages: 2,
      items: parseJson('[{"n":12345678901234567890.10,"2":1,"1":2},7]') as Json[],
    },
    { job: 'none', iteration: 1, pages: 0, items: [] },
  ],
  tables: [{ name: 't', parent: 'p', columns: [{ name: 'n', type: 'text' }], rows: 1 }],
  warnings: [{ code: 'NO_DATA', job: 'none' }],
};

describe('the file of an accepted run', () => {
  it('keeps all of it, a line an item', () => {
    const text = acceptedText(RUN);
    expect(text).toContain('\n      {"n":12345678901234567890.10,"2":1,"1":2},\n');
    expect(differencesOf(readAccepted(text), RUN)).toEqual([]);
    const bare = { jobs: [], tables: [], warnings: [] };
    expect(readAccepted(acceptedText(bare))).toMatchObject(bare);
  });

  it.each([
    '',
    '{}',
    '[]',
    '{"version":2,"jobs":[],"tables":[],"warnings":[]}',
    '{"version":1,"jobs":[{}],"tables":[],"warnings":[]}',
  ])('is not %s', (text) =>
    expect(() => readAccepted(text)).toThrow(expect.objectContaining({ code: 'CONFIG_UNREADABLE' }) as Error),
  );
});
