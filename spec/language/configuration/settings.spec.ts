import { configuration, faults, run, warnings } from './support';

const settingsOf = (config: Record<string, unknown>) => run(configuration({}, config)).settings;

describe('config', () => {
  it('language 1.3: takes the reserved keys', () => {
    const config = {
      outputBucket: 'b',
      id: 12,
      incrementalOutput: 'false',
      userData: 'u',
      http: { headers: { A: { attr: 'a' } } },
      debug: '1',
      compatLevel: '2',
    };
    expect(settingsOf(config)).toMatchObject({
      outputBucket: 'b',
      id: '12',
      incrementalOutput: true,
      userData: 'u',
      headers: { A: { attr: 'a' } },
      debug: true,
      compatLevel: 2,
    });
  });

  it.each([
    [0, false],
    ['0', false],
    [false, false],
    [1, true],
    [true, true],
  ])('language 0.2: debug %j is %s', (debug, expected) => {
    expect(settingsOf({ debug }).debug).toBe(expected);
  });

  it.each([null, '', 0, 3, '3'])('language 6.8: compatLevel %j is 3', (compatLevel) => {
    expect(settingsOf({ compatLevel }).compatLevel).toBe(3);
  });

  it('language 1.3: refuses what cannot be read', () => {
    expect(faults(configuration({}, { compatLevel: 4, outputBucket: ['b'], http: 'x', requestLimit: -1 }))).toEqual([
      'config.compatLevel: expected an integer from 1 to 3, found 4',
      'config.outputBucket: expected a string, found an array',
      'config.http: expected an object, found a string of 1 character',
      'config.requestLimit: expected an integer of 1 or more, found -1',
    ]);
  });

  it('language 1.2: warns about unknown keys in config.http', () => {
    expect(warnings(configuration({}, { http: { defaultOptions: {} } }))).toEqual([
      'config.http.defaultOptions: has no effect here; it belongs to api.http',
    ]);
  });
});
