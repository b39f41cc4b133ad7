import { configuration, faults, job, run, warnings, withJob } from '../support';

const rulesOf = (...rules: readonly unknown[]) => run(configuration({ http: { rules } })).api.http.rules;
const faultOf = (rule: unknown): readonly string[] => faults(configuration({ http: { rules: [rule] } }));
const WHEN = 'api.http.rules[0].when';

describe('api.http.rules', () => {
  it('takes conditions about status, header and body', () => {
    expect(
      rulesOf(
        { when: { status: 404 }, do: 'skip' },
        { when: { status: ['5xx', '429', 408] }, do: 'retry' },
        { when: { header: 'X-Error', matches: '^busy' }, do: 'stop' },
        { when: { field: 'error.code', is: ['A', 7] }, do: 'fail', message: 'No.' },
      ),
    ).toEqual([
      { when: { statuses: [{ from: 404, to: 404 }] }, do: 'skip' },
      {
        when: {
          statuses: [
            { from: 500, to: 599 },
            { from: 429, to: 429 },
            { from: 408, to: 408 },
          ],
        },
        do: 'retry',
      },
      { when: { header: 'x-error', matches: '^busy' }, do: 'stop' },
      { when: { field: 'error.code', is: ['A', '7'] }, do: 'fail', message: 'No.' },
    ]);
  });

  it.each([
    [false, 'false'],
    [0, '0'],
    ['', ''],
  ])('%j is a value to compare with, and not a blank', (is, text) => {
    expect(rulesOf({ when: { field: 'success', is }, do: 'fail' })).toEqual([
      { when: { field: 'success', is: [text] }, do: 'fail' },
    ]);
  });

  it.each<[unknown, string]>([
    [{}, `${WHEN}: required`],
    [{ is: 'a' }, `${WHEN}: required: "field" or "header", whose value is compared with "is"`],
    [{ field: 'a', header: 'b' }, `${WHEN}: both "header" and "field" are given: write only one of them`],
    [{ field: 'a', is: 'b', matches: 'c' }, `${WHEN}: both "is" and "matches" are given: write only one of them`],
    [{ field: 'a', is: null }, `${WHEN}.is: null is no value to compare with.`],
    [{ field: 'a', equals: 'b' }, `${WHEN}.equals: has no effect here; write "is"`],
    [
      { status: 404, foo: 1 },
      `${WHEN}.foo: has no effect: unknown key; a condition has status, header, field, is, matches`,
    ],
    [{ field: 'a', is: [] }, `${WHEN}.is: an empty array holds for no response`],
    [{ status: 99 }, `${WHEN}.status: expected a status such as 404, or a class of them such as "5xx", found 99`],
    [{ status: ['6xx'] }, `${WHEN}.status[0]: expected a status such as 404`],
    [{ field: 'a', is: { b: 1 } }, `${WHEN}.is: expected a string, a number or a boolean, found`],
    [{ matches: '(' }, `${WHEN}.matches: the pattern or its replacement cannot be used`],
  ])('refuses the condition %j', (when, message) => {
    const [first, ...more] = faultOf({ when, do: 'skip' });
    expect(first).toContain(message);
    expect(more).toEqual([]);
  });

  it('an array of statuses that is empty says nothing, as ever', () => {
    expect(faultOf({ when: { status: [] }, do: 'skip' })).toEqual([
      `${WHEN}: required: one of "status", "header", "field", "matches" and "jinja"`,
    ]);
  });

  it('says which action was meant, and what is missing', () => {
    expect(faultOf({ when: { status: 404 }, do: 'skpi' })).toEqual([
      'api.http.rules[0].do: expected one of retry, stop, skip, end, last, fail, renew, found "skpi"; did you mean "skip"?',
    ]);
    expect(faultOf({ when: { status: 404 } })).toEqual([expect.stringContaining('api.http.rules[0].do: required')]);
  });

  it('a job has rules of its own', () => {
    expect(job(withJob({ rules: [{ when: { status: 404 }, do: 'skip' }] })).rules).toHaveLength(1);
    expect(job(withJob({}))).not.toHaveProperty('rules');
  });

  it('rules beside http are told where they belong', () => {
    expect(warnings(configuration({ rules: [{ when: { status: 404 }, do: 'skip' }] }))).toEqual([
      expect.stringContaining('write it as api.http.rules'),
    ]);
  });
});
