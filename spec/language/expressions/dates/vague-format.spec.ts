import { vagueFormat } from '../../../../src/language/expressions/dates/vague-format';

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
