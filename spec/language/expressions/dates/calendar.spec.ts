import fc from 'fast-check';
import { halvesOf, parseStep, windowsOf } from '../../../../src/language/expressions/dates/calendar';
import type { Span, Step } from '../../../../src/language/expressions/dates/calendar';

const seconds = (date: string): number => Date.parse(`${date.includes('T') ? date : `${date}T00:00:00`}Z`) / 1000;
const dateOf = (moment: number): string => new Date(moment * 1000).toISOString().slice(0, 10);
const stepOf = (text: string): Step => parseStep(text) ?? { count: 0, unit: 'day' };
const beginnings = (from: string, to: string, step: string): string[] =>
  [...windowsOf({ from: seconds(from), to: seconds(to) }, stepOf(step))].map((window) => dateOf(window.from));

const anySpan = fc
  .record({
    from: fc.integer({ min: seconds('1890-01-01'), max: seconds('2110-01-01') }),
    length: fc.integer({ min: 0, max: 12 * 365 * 86_400 }),
  })
  .map(({ from, length }): Span => ({ from, to: from + length }));
const anyStep = fc.record({
  count: fc.integer({ min: 1, max: 30 }),
  unit: fc.constantFrom<Step['unit']>('day', 'week', 'month', 'year'),
});

/** Whether they are one behind the other, none is empty, and they are the span together. */
function expectTiles(windows: readonly Span[], { from, to }: Span): void {
  expect(windows.every((window) => window.from < window.to)).toBe(true);
  expect([from, ...windows.map((window) => window.to)]).toEqual([...windows.map((window) => window.from), to]);
}

describe('windows', () => {
  it('cover a span without gap and overlap', () => {
    fc.assert(fc.property(anySpan, anyStep, (span, step) => expectTiles([...windowsOf(span, step)], span)));
    const short = fc.constantFrom<Step['unit']>('second', 'minute', 'hour');
    const ofHours = anySpan.map(({ from, to }) => ({ from, to: from + ((to - from) % 20_000) }));
    fc.assert(fc.property(ofHours, short, (span, unit) => expectTiles([...windowsOf(span, { count: 7, unit })], span)));
  });

  it('do so when any of them are halved, down to one grain', () => {
    const halved = (span: Span, grain: number, depth: number): readonly Span[] => {
      const halves = depth === 0 ? undefined : halvesOf(span, grain);
      if (halves === undefined) return [span];
      return [...halved(halves[0], grain, depth - 1), ...halved(halves[1], grain, depth % 3)];
    };
    fc.assert(
      fc.property(anySpan, anyStep, fc.constantFrom(1, 60, 86_400), (span, step, grain) => {
        const windows = [...windowsOf(span, step)];
        expectTiles(
          windows.flatMap((window, at) => halved(window, grain, at % 5)),
          span,
        );
      }),
    );
    expect(halvesOf({ from: 10, to: 11 }, 1)).toBeUndefined();
    expect(halvesOf({ from: 0, to: 100 }, 86_400)).toBeUndefined();
  });

  it('of months go by the calendar, with the last day where a month is too short', () => {
    expect(beginnings('2024-01-31', '2024-05-31', '1 month')).toEqual([
      '2024-01-31',
      '2024-02-29',
      '2024-03-31',
      '2024-04-30',
    ]);
    expect(beginnings('2024-02-29', '2029-01-01', '1 year')).toEqual([
      '2024-02-29',
      '2025-02-28',
      '2026-02-28',
      '2027-02-28',
      '2028-02-29',
    ]);
  });

  it('of days are days of 24 hours, also where clocks are put forward', () => {
    const [, second] = [
      ...windowsOf({ from: seconds('2024-03-30T12:00:00'), to: seconds('2024-04-02') }, stepOf('1 day')),
    ];
    expect(second?.from).toBe(seconds('2024-03-31T12:00:00'));
  });
});

describe('a step', () => {
  it('is a number and a unit', () => {
    expect(parseStep('1 day')).toEqual({ count: 1, unit: 'day' });
    expect(parseStep('15 minutes')).toEqual({ count: 15, unit: 'minute' });
    expect(['0 days', 'day', '-1 day', '1.5 hours', '2 fortnights', ''].map(parseStep)).toEqual(
      Array(6).fill(undefined),
    );
  });
});
