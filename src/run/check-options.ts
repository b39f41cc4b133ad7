/** Options that the compiler has not seen: a slip in one would otherwise count as another value, or as none. */
import { didYouMean } from '../language/codec/suggest';
import type { ExtractOptions } from './extract-options';

/** The names of options, so that the compiler misses one that is not here. */
type Names<O> = Readonly<Record<keyof O, true>>;

const OF_EXTRACT: Names<ExtractOptions> = {
  ...{ concurrency: true, prefetch: true, logger: true, signal: true, previousStart: true, resume: true },
  ...{ completeness: true, onJobError: true, strict: true, cacheFolder: true, encryptionKey: true, state: true },
  ...{ onCredentials: true, renewEarly: true, lenient: true, components: true, scheduler: true, record: true },
  ...{ onEvent: true, dispatcher: true, fetch: true, ownConnections: true, plainRetries: true, proxies: true },
  ...{ items: true, onInvalid: true, bigints: true },
  ...{ env: true, secretFiles: true, secrets: true, unset: true },
};

const OF_DELIVER = {
  ...{ tableNaming: true, acceptIncomplete: true, allowEmpty: true, runId: true, runColumns: true },
  configurationName: true,
};

const OF_CLIENT = {
  ...{
    dispatcher: true,
    fetch: true,
    proxies: true,
    plainRetries: true,
    cacheFolder: true,
    encryptionKey: true,
    renewEarly: true,
  },
  ...{ onCredentials: true, components: true, scheduler: true, logger: true, signal: true, state: true, lenient: true },
  ...{ concurrency: true, rate: true, paused: true, credentials: true, sections: true, onEvent: true },
  ...{ env: true, secretFiles: true, secrets: true },
};

const OPTIONS = {
  extract: Object.keys(OF_EXTRACT),
  deliver: Object.keys({ ...OF_EXTRACT, ...OF_DELIVER }),
  client: Object.keys(OF_CLIENT),
};

/** The options that are one of a few words. */
const WORDS = {
  onJobError: ['fail', 'continue'],
  completeness: ['error', 'warn', 'off'],
  bigints: ['bigint', 'string', 'number'],
  unset: ['fault', 'stand in'],
} satisfies Partial<Record<keyof ExtractOptions, readonly string[]>>;

const FLAGS = [
  'strict',
  'lenient',
  'renewEarly',
  'ownConnections',
  'plainRetries',
] as const satisfies readonly (keyof ExtractOptions)[];

/**
 * Refuses options whose names look like those of others, as keys of a configuration are. What else an object has that is given as
 * options, such as a scripted API, does no harm.
 *
 * @param more further names, of the place where the options stand
 * @throws RangeError which says what may be meant
 * @example checkNames('extract', { concurency: 2 }) // options.concurency is no option of extract; did you mean "concurrency"?
 */
export function checkNames(of: keyof typeof OPTIONS, options: object, more: readonly string[] = []): void {
  const names = [...OPTIONS[of], ...more];
  for (const [name, value] of Object.entries(options)) {
    const advice = value === undefined || names.includes(name) ? '' : didYouMean(name, names);
    if (advice !== '') throw new RangeError(`options.${name}: is no option of ${of}${advice}`);
  }
}

/**
 * Refuses values that options of `extract` do not have.
 *
 * @throws RangeError that lists the words that may be; TypeError for what is of another type
 */
export function checkValues(
  options: Pick<ExtractOptions, keyof typeof WORDS | (typeof FLAGS)[number] | 'onInvalid'>,
): void {
  for (const [name, words] of Object.entries(WORDS)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined && !words.some((word) => word === value))
      throw new RangeError(`options.${name}: expected ${oneOf(words)}, found ${shown(value)}`);
  }
  for (const name of FLAGS) {
    const value: unknown = options[name];
    if (value !== undefined && typeof value !== 'boolean')
      throw new TypeError(`options.${name}: expected true or false, found ${shown(value)}`);
  }
  const onInvalid: unknown = options.onInvalid;
  if (onInvalid !== undefined && !takesValues(onInvalid))
    throw new TypeError(`options.onInvalid: expected a function or a Subject, found ${shown(onInvalid)}`);
}

const takesValues = (value: unknown): boolean =>
  typeof value === 'function' ||
  (typeof value === 'object' && value !== null && 'next' in value && typeof value.next === 'function');

/** @example oneOf(['error', 'warn', 'off']) // 'error, warn or off' */
export const oneOf = (words: readonly string[]): string =>
  `${words.slice(0, -1).join(', ')} or ${words.slice(-1).join('')}`;

/** A value in a message, by its kind where it is an object: `"Fail"`, `3`, `an object`. */
export const shown = (value: unknown): string => {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
};
