import fc from 'fast-check';
import { dateFormatFault, formatDate, vagueFormat } from '../../../../src/language/expressions/dates/format';

const at = (iso: string): number => Date.parse(iso) / 1000;
const SAMPLE = at('2020-09-13T12:26:40Z');

describe('dateFormatFault', () => {
  it.each([
    ['YYYY-MM-DD', 'Y-m-d'],
    ['yyyy-mm-dd', 'Y-m-d'],
    ['dd.MM.yy', 'd.m.y'],
    ['YYYY-MM-DD\\THH:mm:ss.SSS\\Z', 'Y-m-d\\TH:i:s.v\\Z'],
    ['hh:mm', 'h:i'],
  ])('says how %s is written', (format, meant) => {
    expect(dateFormatFault(format)).toContain(`write '${meant}'`);
  });

  it.each(['Y-m-d', 'YmdHis', 'D, d M Y', 'l jS F', 'c', 'd\\dd', '\\y\\y\\y\\y', 'H:i:sP', 'G\\h'])(
    'finds nothing wrong with %s',
    (format) => {
      expect(dateFormatFault(format)).toBeUndefined();
    },
  );
});

describe('formatDate (language 7.4)', () => {
  it.each<[string, string]>([
    ['d', '13'],
    ['j', '13'],
    ['D', 'Sun'],
    ['l', 'Sunday'],
    ['N', '7'],
    ['w', '0'],
    ['z', '256'],
    ['S', 'th'],
    ['W', '37'],
    ['o', '2020'],
    ['m', '09'],
    ['n', '9'],
    ['M', 'Sep'],
    ['F', 'September'],
    ['t', '30'],
    ['L', '1'],
    ['Y', '2020'],
    ['y', '20'],
    ['a', 'pm'],
    ['A', 'PM'],
    ['g', '12'],
    ['G', '12'],
    ['h', '12'],
    ['H', '12'],
    ['i', '26'],
    ['s', '40'],
    ['u', '000000'],
    ['v', '000'],
    ['e', 'UTC'],
    ['T', 'UTC'],
    ['I', '0'],
    ['O', '+0000'],
    ['P', '+00:00'],
    ['Z', '0'],
    ['B', '560'],
    ['U', '1600000000'],
    ['c', '2020-09-13T12:26:40+00:00'],
    ['r', 'Sun, 13 Sep 2020 12:26:40 +0000'],
  ])('language 7.4: %s', (letter, expected) => {
    expect(formatDate(letter, SAMPLE)).toBe(expected);
  });

  it.each<[string, string, string]>([
    ['d-j-z', '2021-01-05T00:00:00Z', '05-5-4'],
    ['g h G H a A', '2021-01-05T00:05:09Z', '12 12 0 00 am AM'],
    ['g h G H a A', '2021-01-05T23:05:09Z', '11 11 23 23 pm PM'],
    ['i s', '2021-01-05T00:05:09Z', '05 09'],
    ['t L', '2021-02-05T00:00:00Z', '28 0'],
    ['t L', '2000-02-05T00:00:00Z', '29 1'],
    ['L', '1900-02-05T00:00:00Z', '0'],
    ['o-W Y', '2021-01-03T00:00:00Z', '2020-53 2021'],
    ['o-W Y', '2018-12-31T00:00:00Z', '2019-01 2018'],
    ['Y y', '0876-01-01T00:00:00Z', '0876 76'],
    ['Y', '-000044-03-15T00:00:00Z', '-0044'],
    ['B', '2021-01-05T23:00:00Z', '000'],
    ['B', '2021-01-05T22:59:59Z', '999'],
    ['D l F M N w', '2021-06-14T00:00:00Z', 'Mon Monday June Jun 1 1'],
  ])('language 7.4: %s of %s', (format, moment, expected) => {
    expect(formatDate(format, at(moment))).toBe(expected);
  });

  it.each([
    [1, 'st'],
    [2, 'nd'],
    [3, 'rd'],
    [4, 'th'],
    [10, 'th'],
    [11, 'th'],
    [12, 'th'],
    [13, 'th'],
    [20, 'th'],
    [21, 'st'],
    [22, 'nd'],
    [23, 'rd'],
    [30, 'th'],
    [31, 'st'],
  ])('language 7.4: S of day %i', (day, suffix) => {
    expect(formatDate('S', Date.UTC(2021, 0, day) / 1000)).toBe(suffix);
  });

  it('language 7.4: a backslash makes the next character literal, others stand for themselves', () => {
    expect(formatDate('Y-m-d\\TH:i:s\\\\ (k) č\\', SAMPLE)).toBe('2020-09-13T12:26:40\\ (k) č');
    expect(formatDate('', SAMPLE)).toBe('');
  });

  it('language 7.4: agrees with the ISO form of any moment', () => {
    const seconds = fc.integer({ min: at('0001-01-01T00:00:00Z'), max: at('9999-12-31T23:59:59Z') });
    fc.assert(
      fc.property(seconds, (moment) => {
        const iso = new Date(moment * 1000).toISOString();
        expect(formatDate('Y-m-d\\TH:i:s.v\\Z', moment)).toBe(iso);
        expect(formatDate('c', moment)).toBe(iso.replace('.000Z', '+00:00'));
        expect(formatDate('U', moment)).toBe(String(moment));
      }),
    );
  });

  it('language 7.4: agrees with the HTTP form and with the names of the platform', () => {
    const long = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', weekday: 'long', month: 'long', day: 'numeric' });
    const seconds = fc.integer({ min: at('1900-01-01T00:00:00Z'), max: at('2200-01-01T00:00:00Z') });
    fc.assert(
      fc.property(seconds, (moment) => {
        const date = new Date(moment * 1000);
        expect(formatDate('D, d M Y H:i:s \\G\\M\\T', moment)).toBe(date.toUTCString());
        expect(formatDate('l, F j', moment)).toBe(long.format(date));
      }),
    );
  });
});

describe('a format that does not tell moments apart', () => {
  it.each([
    ['Y-m-d h:i', 'has hours from 1 to 12, and nothing for am or pm: write H, or add A.'],
    ['Y-m-d g:i', 'has hours from 1 to 12, and nothing for am or pm: write H, or add A.'],
    ['Y-m-d h:i \\a\\m', 'has hours from 1 to 12, and nothing for am or pm: write H, or add A.'],
    ['Y-m-d H:m', 'has the month twice and no minute: write i where the minute should be.'],
    ['Y-m-d H:M:s', 'has the month twice and no minute: write i where the minute should be.'],
    ['Ymd H:n', 'has the month twice and no minute: write i where the minute should be.'],
    ['Y-i-d H:i', 'has the minute twice and no month: write m where the month should be.'],
    ['Y-m-d H:i:i', 'has the minute twice and no second: write s where the second should be.'],
    ['Y-m-d H:s:s', 'has the second twice and no minute: write i where the minute should be.'],
    ['Y-m-d H:H', 'has the hour twice and no minute: write i where the minute should be.'],
    ['Y-d-d H:i', 'has the day twice and no month: write m where the month should be.'],
    ['Y-m-d H:s', 'has no minute between its other parts, so that different moments are written the same: add i.'],
    ['Y-m H:i', 'has no day between its other parts, so that different moments are written the same: add d.'],
    ['Y-d', 'has no month between its other parts, so that different moments are written the same: add m.'],
    ['Y-m-dTH:i:s', 'has a T that is the letter of time zones, and is sent as UTC: write \\T.'],
    ['Y-m-d T H:i:s', 'has a T that is the letter of time zones, and is sent as UTC: write \\T.'],
    ['Y-m-dtH:i:s', 'has a t that is the number of days of the month: write \\T.'],
    ['Y-m-d\\TH:i:sZ', 'has a Z that is an offset in seconds, and is sent as 0: write \\Z.'],
    ['Y-m-d H:i:S', 'has an S that is what follows the number of a day, such as th: write s for seconds.'],
    ['o-m-d', 'has an o that is the year of the week, which is another one around New Year: write Y.'],
    ['Y-m-D', 'has a day of the week in the place of one of the month: write d.'],
  ])('is %s', (format, why) => {
    expect(vagueFormat(format)).toBe(`'${format}' ${why}`);
  });

  it.each([
    ...['date', 'ISO 8601', 'time', 'unix', 'unix-ms', 'Unix'],
    ...[
      'Y-m-d',
      'Ymd',
      'd.m.y',
      'Y-m',
      'Y',
      'm/d/Y',
      'j M Y',
      'D, d M Y H:i:s O',
      'Y-z',
      'o-\\WW',
      'o-\\WW-N',
      'o-\\WW-N H',
    ],
    ...['Y-m-d H:i', 'Y-m-d H:i:s', 'YmdHis', 'Y-m-d H', 'Y-m-d\\TH:i:s\\Z', 'Y-m-d\\TH:i:sP', 'Y-m-d\\TH:i:s.v\\Z'],
    ...[
      'm/d/Y h:i A',
      'g:i a, j F Y',
      'H:i d.m.Y',
      'H:i:s',
      'Y/m/d/Y-m-d H:i',
      'Y/Y-m',
      'H:i:s T',
      'Y-m-d H:i T',
      'U',
      'c',
      'r',
      'U H:m',
    ],
    ...['\\h\\o\\u\\r Y-m-d H:i', 'Y-m-d H\\hi\\m'],
  ])('is not %s', (format) => {
    expect(vagueFormat(format)).toBeUndefined();
  });
});
