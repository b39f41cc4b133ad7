/** A slip in an option is refused before anything runs: none counts as another value. */
import { Subject } from 'rxjs';
import { client, deliver, extract, prepare, sinks } from '../../src';
import type { ExtractOptions } from '../../src';
import { oneOf, shown } from '../../src/run/options';

const api = { baseUrl: 'https://api.example' };
const config = { api, config: { jobs: [{ endpoint: 'stations' }] } };
/** What JavaScript may hand over. */
const extracting = (options: object) => (): unknown => extract(config, options as ExtractOptions);
const delivering = (options: object): Promise<unknown> => deliver(config, [sinks.csv('/nowhere')], options);

describe('values of options', () => {
  it.each([
    [{ onJobError: 'Fail' }, 'options.onJobError: expected fail or continue, found "Fail"'],
    [{ onJobError: null }, 'options.onJobError: expected fail or continue, found null'],
    [{ completeness: 'warning' }, 'options.completeness: expected error, warn or off, found "warning"'],
    [{ completeness: [] }, 'options.completeness: expected error, warn or off, found an array'],
    [{ bigints: 1n }, 'options.bigints: expected bigint, string or number, found 1'],
  ])('%j is a RangeError that lists what may be', async (options, message) => {
    expect(extracting(options)).toThrow(new RangeError(message));
    await expect(delivering(options)).rejects.toThrow(new RangeError(message));
  });

  it.each([
    [{ onInvalid: 3 }, 'options.onInvalid: expected a function or a Subject, found 3'],
    [{ onInvalid: { next: 3 } }, 'options.onInvalid: expected a function or a Subject, found an object'],
    [{ strict: 'false' }, 'options.strict: expected true or false, found "false"'],
    [{ renewEarly: 0 }, 'options.renewEarly: expected true or false, found 0'],
  ])('%j is a TypeError', (options, message) => {
    expect(extracting(options)).toThrow(new TypeError(message));
  });

  it('that may be pass, and so does undefined', () => {
    for (const onJobError of ['fail', 'continue', undefined]) expect(extracting({ onJobError })).not.toThrow();
    for (const completeness of ['error', 'warn', 'off', undefined]) expect(extracting({ completeness })).not.toThrow();
    for (const onInvalid of [new Subject(), () => undefined, undefined])
      expect(extracting({ onInvalid })).not.toThrow();
  });
});

describe('names of options', () => {
  it('of extract that look like others are refused', () => {
    const message = 'options.concurency: is no option of extract; did you mean "concurrency"?';
    expect(extracting({ concurency: 2 })).toThrow(new RangeError(message));
    // An object with more than options, such as a scripted API, may be given as it is.
    expect(extracting({ elsewhere: 2 })).not.toThrow();
    expect(extracting({ elsewhere: undefined })).not.toThrow();
  });

  it('of deliver that there are not are refused', async () => {
    const message = 'options.runid: is no option of deliver; did you mean "runId"?';
    await expect(delivering({ runid: 'a' })).rejects.toThrow(new RangeError(message));
  });

  it('of a client and of its extractions that there are not are refused', async () => {
    const message = 'options.concurency: is no option of client; did you mean "concurrency"?';
    expect(() => client(api, { concurency: 2 } as object)).toThrow(new RangeError(message));
    const acme = client(api);
    const own = { iteratons: [] } as object;
    expect(() => acme.extract(config.config, own)).toThrow('is no option of extract; did you mean "iterations"?');
    await expect(acme.deliver(config.config, [sinks.csv('/nowhere')], own)).rejects.toThrow(
      'did you mean "iterations"?',
    );
    expect(() => acme.extract(config.config, { iterations: [{}] })).not.toThrow();
    await acme.close();
  });

  it('of a prepared configuration and its runs that there are not are refused', () => {
    expect(() => prepare(config, { parameters: {}, strickt: true } as never)).toThrow('did you mean "strict"?');
    const prepared = prepare(config, { parameters: {} });
    expect(() => prepared.run({}, { strickt: true } as object)).toThrow('did you mean "strict"?');
  });
});

describe('oneOf and shown', () => {
  it('make the texts of messages', () => {
    expect(oneOf(['a', 'b', 'c'])).toBe('a, b or c');
    const values = ['a', 3, 1n, null, undefined, [], new Map(), () => undefined];
    const texts = ['"a"', '3', '1', 'null', 'undefined', 'an array', 'an object', 'a function'];
    expect(values.map(shown)).toEqual(texts);
  });
});
