import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ConfigurationError,
  expressionFailed,
  FatalError,
  faultLine,
  HeadwaterError,
  IncompleteError,
  RetryableError,
} from '../../../src/core/errors/errors';
import type * as Errors from '../../../src/core/errors/errors';

/** The classes of a copy of the package that shares nothing with the one above. */
function anotherCopy(): typeof Errors {
  let copy: typeof Errors | undefined;
  jest.isolateModules(() => {
    copy = jest.requireActual<typeof Errors>('../../../src/core/errors/errors');
  });
  if (copy === undefined || copy.HeadwaterError === HeadwaterError) throw new Error('it is the same copy');
  return copy;
}

describe('specification 7: errors', () => {
  it('a fatal error has a code, its message and its cause', () => {
    const cause = new Error('inner');
    const error = new FatalError('API_STATUS', 'The API request failed.', { cause });
    expect(error).toBeInstanceOf(HeadwaterError);
    expect(error).toMatchObject({ name: 'FatalError', code: 'API_STATUS', recovery: 'fatal', cause });
    expect(String(error)).toBe('FatalError: The API request failed.');
    expect(error.stack).toContain('errors.spec');
  });

  it('without a cause there is no such property', () => {
    expect(Object.hasOwn(new FatalError('NEXT_PAGE', 'x'), 'cause')).toBe(false);
  });

  it('a retryable error knows the number that retryConfig.curl.codes names', () => {
    const error = new RetryableError('NETWORK_TIMEOUT', 28, 'The API did not answer in time.');
    expect(error).toBeInstanceOf(HeadwaterError);
    expect(error).not.toBeInstanceOf(FatalError);
    expect(error).toMatchObject({ name: 'RetryableError', code: 'NETWORK_TIMEOUT', recovery: 'retry', curlCode: 28 });
    expect(new RetryableError('NETWORK_PROTOCOL', undefined, 'x').curlCode).toBeUndefined();
  });

  it('a refused configuration lists every fault in order, one a line', () => {
    const faults = [
      { path: 'api.baseUrl', message: 'missing' },
      { path: '', message: 'expected an object' },
    ];
    const error = new ConfigurationError(faults);
    expect(error).toMatchObject({ name: 'ConfigurationError', code: 'CONFIG_INVALID', recovery: 'fatal', faults });
    expect(error.message).toBe('The configuration cannot be used.\n  api.baseUrl: missing\n  expected an object');
  });

  it.each([
    ['config.jobs[0].endpoint', 'must be set', 'config.jobs[0].endpoint: must be set'],
    ['', 'must be an object', 'must be an object'],
  ])('a fault at "%s" is one line', (path, message, line) => {
    expect(faultLine({ path, message })).toBe(line);
  });
});

describe('errors of another copy of the package', () => {
  const other = anotherCopy();
  const fatal = new other.FatalError('NEXT_PAGE', 'x');

  it('are known by instanceof, each by its own class and those above it', () => {
    expect(Object.getPrototypeOf(fatal)).not.toBe(FatalError.prototype);
    expect(fatal instanceof HeadwaterError).toBe(true);
    expect(fatal instanceof FatalError).toBe(true);
    expect(fatal instanceof RetryableError).toBe(false);
    expect(fatal instanceof ConfigurationError).toBe(false);
    expect(new other.RetryableError('NETWORK_RESET', 56, 'x') instanceof RetryableError).toBe(true);
    expect(new other.RetryableError('NETWORK_RESET', 56, 'x') instanceof FatalError).toBe(false);
    expect(new other.ConfigurationError([]) instanceof ConfigurationError).toBe(true);
    expect(new other.IncompleteError([]) instanceof IncompleteError).toBe(true);
    expect(new FatalError('NEXT_PAGE', 'x') instanceof other.HeadwaterError).toBe(true);
  });

  it('a subclass that an application makes is told apart by its prototype', () => {
    class Mine extends FatalError {}
    const mine = new Mine('NEXT_PAGE', 'x');
    expect([mine instanceof Mine, mine instanceof FatalError, mine instanceof other.FatalError]).toEqual([
      true,
      true,
      true,
    ]);
    expect([fatal instanceof Mine, new FatalError('NEXT_PAGE', 'x') instanceof Mine]).toEqual([false, false]);
  });

  it.each([undefined, null, 'text', 7, {}, new Error('x'), { code: 'NEXT_PAGE', recovery: 'fatal' }])(
    '%p is none',
    (value) => expect((value as unknown) instanceof HeadwaterError).toBe(false),
  );

  it('what has the mark but no code is none', () => {
    const bare = Object.create(FatalError.prototype) as unknown;
    expect(bare instanceof HeadwaterError).toBe(false);
  });
});

describe('an error as JSON', () => {
  const json = (error: unknown): unknown => JSON.parse(JSON.stringify(error));

  it('has name, code, recovery, message and what is known; neither stack nor cause', () => {
    const error = new RetryableError('NETWORK_RESET', 56, 'The connection broke.', {
      cause: new Error('quoted'),
      method: 'GET',
      url: 'https://api.example/',
      headers: { 'x-many': ['1', '2'] },
      table: 'boats',
      attempt: undefined,
    });
    expect(json(error)).toEqual({
      name: 'RetryableError',
      code: 'NETWORK_RESET',
      recovery: 'retry',
      message: 'The connection broke.',
      method: 'GET',
      url: 'https://api.example/',
      headers: { 'x-many': ['1', '2'] },
      table: 'boats',
      curlCode: 56,
    });
  });

  it('has faults, doubts and the fault of an expression', () => {
    const fault = { path: 'api.baseUrl', message: 'missing' };
    expect(json(new ConfigurationError([fault]))).toMatchObject({ code: 'CONFIG_INVALID', faults: [fault] });
    const doubt = { code: 'TOTAL_NOT_REACHED' as const, message: 'one is missing', path: 'config.jobs[0]', job: 'a' };
    expect(json(new IncompleteError([doubt]))).toMatchObject({ code: 'INCOMPLETE', doubts: [doubt] });
    const failed = expressionFailed(fault);
    expect(failed.message).toBe('api.baseUrl: missing');
    expect(json(failed)).toMatchObject({ code: 'EXPRESSION_FAILED', fault });
  });
});

describe('docs/language/errors.md and docs/library.md', () => {
  const read = (...path: string[]): string => readFileSync(join(__dirname, '../../..', ...path), 'utf8');
  /** The names that begin the rows of tables, or the items of lists. */
  const firstColumnOf = (page: string, heading: string): readonly (string | undefined)[] => {
    const sections = read('docs', page).split('\n## ');
    const section = sections.find((part) => part.startsWith(`${heading}\n`)) ?? '';
    return [...section.matchAll(/^(?:\| |- )(`[^|:]*?)(?: +\||:)/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
  };

  it('names every code, and no other', () => {
    const [, union = ''] = /export type ErrorCode =([^;]*);/.exec(read('src', 'core', 'errors', 'errors.ts')) ?? [];
    const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(20);
    expect([...firstColumnOf('language/errors.md', 'Codes')].sort()).toEqual(codes.sort());
  });

  it('names every field of an error, and every class', () => {
    const facts = ['status', 'method', 'url', 'headers', 'job', 'attempt', 'retryAfterSeconds', 'table', 'destination'];
    const classes = [ConfigurationError, FatalError, RetryableError, IncompleteError].map(({ name }) => name);
    expect(firstColumnOf('library.md', 'Errors')).toEqual(expect.arrayContaining([...facts, 'fault', ...classes]));
  });
});
