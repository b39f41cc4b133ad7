import fc from 'fast-check';
import { formatDate } from '../../../../src/language/expressions/dates/format';
import { parseTime } from '../../../../src/language/expressions/dates/parse-time';

/** A Wednesday. */
const BASE = '2021-06-16 09:30:15';
const seconds = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`) / 1000;

function moment(text: string, base = BASE): string {
  const result = parseTime(text, seconds(base));
  return result === undefined ? 'not understood' : formatDate('Y-m-d H:i:s', result);
}

describe('parseTime (language 7.5)', () => {
  it.each([
    ['now', '2021-06-16 09:30:15'],
    ['-0 second', '2021-06-16 09:30:15'],
    ['today', '2021-06-16 00:00:00'],
    ['midnight', '2021-06-16 00:00:00'],
    ['noon', '2021-06-16 12:00:00'],
    ['tomorrow', '2021-06-17 00:00:00'],
    ['yesterday', '2021-06-15 00:00:00'],
    ['+10 days', '2021-06-26 09:30:15'],
    ['-1 day', '2021-06-15 09:30:15'],
    ['4 days ago', '2021-06-12 09:30:15'],
    ['-3 hours', '2021-06-16 06:30:15'],
    ['1 hour', '2021-06-16 10:30:15'],
    ['+2 weeks 1 day', '2021-07-01 09:30:15'],
    ['+1 month', '2021-07-16 09:30:15'],
    ['-1 month', '2021-05-16 09:30:15'],
    ['next month', '2021-07-16 09:30:15'],
    ['last year', '2020-06-16 09:30:15'],
    ['first day of this month', '2021-06-01 09:30:15'],
    ['last day of previous month', '2021-05-31 09:30:15'],
    ['monday', '2021-06-21 00:00:00'],
    ['last monday', '2021-06-14 00:00:00'],
    ['next friday', '2021-06-18 00:00:00'],
    ['monday this week', '2021-06-14 00:00:00'],
    ['yesterday noon', '2021-06-15 12:00:00'],
    ['tomorrow 14:00', '2021-06-17 14:00:00'],
    ['+1 day midnight', '2021-06-17 00:00:00'],
    ['12:45', '2021-06-16 12:45:00'],
    ['2020-02-03', '2020-02-03 00:00:00'],
    ['2020-02-03 04:05', '2020-02-03 04:05:00'],
    ['2020-02-03 04:05:06', '2020-02-03 04:05:06'],
    ['2020-02-03T04:05:06Z', '2020-02-03 04:05:06'],
    ['2020-02-03T04:05:06+02:00', '2020-02-03 02:05:06'],
    ['20200203', '2020-02-03 00:00:00'],
    ['02/03/2020', '2020-02-03 00:00:00'],
    ['03.02.2020', '2020-02-03 00:00:00'],
    ['3 feb 2020 4:05pm', '2020-02-03 16:05:00'],
    ['Sat, 30 Apr 2016 17:52:13 GMT', '2016-04-30 17:52:13'],
    ['@1600000000', '2020-09-13 12:26:40'],
  ])('language 7.5: %s', (text, expected) => {
    expect(moment(text)).toBe(expected);
  });

  it.each([
    [''],
    [' '],
    ['1600000000'],
    ['2020-13-40 01:02:03'],
    ['2020-00-10'],
    ['0000-00-00 00:00:00'],
    ['2020-02-32'],
    ['25:00'],
    ['12:60'],
    ['13pm'],
    ['0'],
    ['10'],
    ['-7'],
    ['2020'],
    ['whenever'],
    ['5 apples'],
    ['+1.5 days'],
    ['days'],
    ['mondayish'],
    ['now and then'],
    ['this monday of june'],
    ['10:00 11:00'],
    ['2020-01-01 2020-01-02'],
    ['10:00 UTC +02:00'],
    ['10:00 @5'],
    ['2020-01-01 @5'],
    ['10:00 UTC @5'],
    ['2020-01-01 2021'],
    ['+9999999999999 years'],
    ['@999999999999999'],
  ])('language 7.5: %j is not understood', (text) => {
    expect(parseTime(text, seconds(BASE))).toBeUndefined();
  });

  it.each([
    ['seconds', '+30 sec', '2021-06-16 09:30:45'],
    ['minutes', '5 mins ago', '2021-06-16 09:25:15'],
    ['weeks', '1 week ago', '2021-06-09 09:30:15'],
    ['fortnights', '+2 fortnights', '2021-07-14 09:30:15'],
    ['years', '-2 years', '2019-06-16 09:30:15'],
    ['no space', '+1week', '2021-06-23 09:30:15'],
    ['a space after the sign', '+ 1 day', '2021-06-17 09:30:15'],
    ['two minuses', '--1 day', '2021-06-17 09:30:15'],
    ['upper case', 'LAST DAY OF NEXT MONTH', '2021-07-31 09:30:15'],
    ['words for numbers', 'third day', '2021-06-19 09:30:15'],
    ['this', 'this year', '2021-06-16 09:30:15'],
    ['ago turns all before it', '+1 week 2 days ago', '2021-06-07 09:30:15'],
    ['ago and a day of the week', 'monday 2 weeks ago', '2021-05-31 00:00:00'],
    ['ago and a week', 'monday next week 1 day ago', '2021-06-06 00:00:00'],
  ])('language 7.5: units: %s', (_, text, expected) => {
    expect(moment(text)).toBe(expected);
  });

  it.each([
    ['2021-01-31 00:00:00', '+1 month', '2021-03-03 00:00:00'],
    ['2020-01-31 00:00:00', '+1 month', '2020-03-02 00:00:00'],
    ['2020-02-29 00:00:00', '+1 year', '2021-03-01 00:00:00'],
    ['2021-01-31 08:00:00', 'last day of next month', '2021-02-28 08:00:00'],
    ['2021-03-31 08:00:00', 'first day of previous month', '2021-02-01 08:00:00'],
    ['2021-03-31 08:00:00', 'first day of next month +3 days', '2021-04-04 08:00:00'],
    ['2021-06-16 09:30:15', 'first day of january this year', '2021-01-01 00:00:00'],
    ['2021-06-16 09:30:15', 'last day of february 2024', '2024-02-29 00:00:00'],
    ['2021-06-16 09:30:15', 'first day of 2 months ago', '2021-04-01 09:30:15'],
  ])('language 7.5: months: from %s, %s', (base, text, expected) => {
    expect(moment(text, base)).toBe(expected);
  });

  it.each([
    ['wednesday', '2021-06-16 00:00:00'],
    ['this wednesday', '2021-06-16 00:00:00'],
    ['next wednesday', '2021-06-23 00:00:00'],
    ['last wednesday', '2021-06-09 00:00:00'],
    ['previous sunday', '2021-06-13 00:00:00'],
    ['third friday', '2021-07-02 00:00:00'],
    ['Mon.', '2021-06-21 00:00:00'],
    ['sunday this week', '2021-06-20 00:00:00'],
    ['this week sunday', '2021-06-20 00:00:00'],
    ['sunday last week', '2021-06-13 00:00:00'],
    ['monday next week', '2021-06-21 00:00:00'],
    ['this week', '2021-06-14 09:30:15'],
    ['monday 14:00', '2021-06-21 14:00:00'],
    ['monday next month', '2021-07-19 00:00:00'],
    ['first monday of next month', '2021-07-05 00:00:00'],
    ['first tuesday of june 2021', '2021-06-01 00:00:00'],
    ['third tuesday of november 2021', '2021-11-16 00:00:00'],
    ['last friday of this month', '2021-06-25 00:00:00'],
    ['last wednesday of june', '2021-06-30 00:00:00'],
    ['last sat of July 2008 12:00', '2008-07-26 12:00:00'],
  ])('language 7.5: days of the week: %s', (text, expected) => {
    expect(moment(text)).toBe(expected);
  });

  it.each([
    ['2021-06-16', '+0 weekdays', '2021-06-16'],
    ['2021-06-16', '+1 weekday', '2021-06-17'],
    ['2021-06-16', '+3 weekdays', '2021-06-21'],
    ['2021-06-16', '3 weekdays ago', '2021-06-11'],
    ['2021-06-16', '-10 weekdays', '2021-06-02'],
    ['2021-06-18', '+1 weekday', '2021-06-21'],
    ['2021-06-19', '+1 weekday', '2021-06-21'],
    ['2021-06-20', '+5 weekdays', '2021-06-25'],
    ['2021-06-20', '-1 weekday', '2021-06-18'],
    ['2021-06-19', '-5 weekdays', '2021-06-14'],
    ['2021-06-19', '+0 weekdays', '2021-06-19'],
  ])('language 7.5: weekdays: from %s, %s', (base, text, expected) => {
    expect(moment(text, `${base} 09:30:15`)).toBe(`${expected} 09:30:15`);
  });

  it.each([
    ['2016-04-30T17:52:13.123Z', '2016-04-30 17:52:13'],
    ['2016-04-30T17:52', '2016-04-30 17:52:00'],
    ['2016-04-30T17', '2016-04-30 17:00:00'],
    ['2016/04/30', '2016-04-30 00:00:00'],
    ['2016-4-3', '2016-04-03 00:00:00'],
    ['2016-04', '2016-04-01 00:00:00'],
    ['20160430T175213', '2016-04-30 17:52:13'],
    ['20160430175213Z', '2016-04-30 17:52:13'],
    ['4/30', '2021-04-30 00:00:00'],
    ['4/30/16', '2016-04-30 00:00:00'],
    ['3.2.20', '2020-02-03 00:00:00'],
    ['30.04.99 UTC', '1999-04-30 00:00:00'],
    ['30-04-2016', '2016-04-30 00:00:00'],
    ['30-Apr-2016', '2016-04-30 00:00:00'],
    ['2016-Apr-30', '2016-04-30 00:00:00'],
    ['30 April', '2021-04-30 00:00:00'],
    ['Apr. 30th, 2016', '2016-04-30 00:00:00'],
    ['sept 5', '2021-09-05 00:00:00'],
    ['april 2016', '2016-04-01 00:00:00'],
    ['april', '2021-04-16 00:00:00'],
    ['june 4pm', '2021-06-16 16:00:00'],
    ['30 april 10:15', '2021-04-30 10:15:00'],
    ['12 dec 19 days ago', '2021-11-23 00:00:00'],
    ['Sunday, 1 January 2017', '2017-01-01 00:00:00'],
    ['Monday, 15-Aug-05 15:52:01 UTC', '2005-08-15 15:52:01'],
    ['Mon, 15 Aug 05 15:52:01 +0000', '2005-08-15 15:52:01'],
    ['Sat Apr 30 17:52:13 2016', '2016-04-30 17:52:13'],
    ['2020-02-30', '2020-03-01 00:00:00'],
    ['0050-01-01', '0050-01-01 00:00:00'],
    ['12am', '2021-06-16 00:00:00'],
    ['12 p.m.', '2021-06-16 12:00:00'],
    ['4:05:06 PM', '2021-06-16 16:05:06'],
    ['24:00', '2021-06-17 00:00:00'],
    ['04:05 2020-02-03', '2020-02-03 04:05:00'],
    ['2020-02-03, 04:05', '2020-02-03 04:05:00'],
    ['2020-02-03 -1 day', '2020-02-02 00:00:00'],
    ['2020-02-03 04:05 +1 hour', '2020-02-03 05:05:00'],
    ['31 january +1 month', '2021-03-03 00:00:00'],
    ['@-5', '1969-12-31 23:59:55'],
    ['@1600000000.75', '2020-09-13 12:26:40'],
    ['@1600000000 +1 day', '2020-09-14 12:26:40'],
    ['tomorrow 11:00', '2021-06-17 11:00:00'],
    ['11:00 tomorrow', '2021-06-17 00:00:00'],
  ])('language 7.5: dates and times: %s', (text, expected) => {
    expect(moment(text)).toBe(expected);
  });

  it.each([
    ['Z', '10:00:00'],
    ['z', '10:00:00'],
    [' UTC', '10:00:00'],
    [' (GMT)', '10:00:00'],
    ['+02', '08:00:00'],
    [' +0200', '08:00:00'],
    ['-05:30', '15:30:00'],
    [' GMT+1', '09:00:00'],
    [' EST', '15:00:00'],
    [' PDT', '17:00:00'],
  ])('language 7.5: zones: 10:00%s', (zone, expected) => {
    expect(moment(`2020-02-03 10:00${zone}`)).toBe(`2020-02-03 ${expected}`);
  });

  const anyMoment = fc.integer({ min: seconds('1000-01-01 00:00:00'), max: seconds('9999-12-31 23:59:59') });

  it.each(['c', 'r', 'D, d M Y H:i:s \\G\\M\\T', 'Y-m-d H:i:s', '\\@U', 'Ymd\\THis', 'j F Y g:i:sa', 'm/d/Y H:i:s T'])(
    'language 7.5: reads what date writes as %s',
    (format) => {
      fc.assert(
        fc.property(anyMoment, anyMoment, (time, base) => {
          expect(parseTime(formatDate(format, time), base)).toBe(time);
        }),
      );
    },
  );

  it('language 7.5: days, hours, minutes and seconds move by their length, and ago moves back', () => {
    const units = fc.constantFrom<[string, number]>(
      ['sec', 1],
      ['minutes', 60],
      ['hour', 3600],
      ['days', 86_400],
      ['weeks', 604_800],
    );
    fc.assert(
      fc.property(anyMoment, units, fc.integer({ min: -999, max: 999 }), (base, [unit, length], count) => {
        expect(parseTime(`${count} ${unit}`, base)).toBe(base + count * length);
        expect(parseTime(`${count} ${unit} ago`, base)).toBe(base - count * length);
      }),
    );
  });

  it('language 7.5: as many weekdays there and back lead to the same weekday', () => {
    fc.assert(
      fc.property(anyMoment, fc.integer({ min: 1, max: 500 }), (base, count) => {
        fc.pre(Number(formatDate('N', base)) <= 5);
        const there = parseTime(`+${count} weekdays`, base);
        expect(Number(formatDate('N', there ?? NaN))).toBeLessThanOrEqual(5);
        expect(parseTime(`-${count} weekdays`, there ?? NaN)).toBe(base);
      }),
    );
  });

  it('language 7.5: any text gives a time or is not understood', () => {
    const words = fc.constantFrom(
      'next',
      'monday',
      'of',
      'ago',
      '1',
      '+',
      '-',
      'day',
      'june',
      '2020',
      ':',
      'T',
      '@',
      ' ',
    );
    const texts = fc.oneof(
      fc.string(),
      fc.array(words).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const result = parseTime(text, 0);
        expect(result === undefined || Number.isSafeInteger(result)).toBe(true);
      }),
    );
  });
});
