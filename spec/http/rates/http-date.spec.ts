import { httpDate } from '../../../src/http/rates/http-date';

describe('httpDate', () => {
  it.each([
    ['Thu, 01 Dec 2022 16:00:00 GMT', 1669910400000],
    [' Thu, 01 Dec 2022 16:00:00 GMT ', 1669910400000],
    ['Thu, 01 Dec 2022 16:00:00 +0100', 1669906800000],
  ])('reads %s', (text, moment) => {
    expect(httpDate(text)).toBe(moment);
  });

  it.each(['', '30', '2022-12-01', 'Thu, 01 Foo 2022 16:00:00 GMT', 'tomorrow'])('refuses %j', (text) => {
    expect(httpDate(text)).toBeUndefined();
  });
});
