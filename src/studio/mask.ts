/** Hides secrets from the page: its text has placeholders instead, which are replaced when it is sent back. */
import { stringifyJson } from '..';
import type { Json } from '..';
import { isReference } from '../language/references/reference';
import { secretValues } from '../language/references/read';
import { Secrets } from '../core/secrets/secrets';
import { secretsNamedIn } from '../core/secrets/names';
import { RefusedRequest } from './replies';
import { secretScalars, valueOf } from './configuration-file';
import type { Language, WrittenScalar } from './configuration-file';

/** Hides secrets, and restores them: see {@link createMask}. */
export interface Mask {
  /** Returns the text of a configuration with a placeholder for each secret, and remembers the secrets. */
  readonly cover: (text: string, language: Language) => string;
  /** Returns any other string with such placeholders for the known secrets. */
  readonly hide: (value: string) => string;
  /**
   * Returns the text with the secrets in place of the placeholders, as they were written.
   *
   * @throws RefusedRequest SECRET_UNKNOWN for a placeholder that this mask did not make
   */
  readonly uncover: (text: string, language: Language) => string;
  /** Adds secrets from outside of the text. */
  readonly learn: (values: readonly string[]) => void;
  /** Adds the secrets of a configuration, from any of its files. */
  readonly learnFrom: (config: Json) => void;
  /** Returns any JSON with known secrets masked, in keys as well. Large integers are strings. */
  readonly masked: (value: unknown) => unknown;
}

/** The secret behind a placeholder. */
interface Hidden {
  /** The secret as it was written, with its quotation marks if it was a whole scalar. */
  readonly raw: string;
  /** The value of a whole scalar; absent: it was a part of one. */
  readonly scalar?: string;
}

const PLACEHOLDER = /(["']?)⟨secret (\d+)⟩\1/g;
/** Matches a placeholder that was edited. */
const REMNANT = /⟨secret|secret \d+⟩/;
/** Matches a value below a key that begins with `#`, in a text that is otherwise broken. */
const BROKEN = /(["'])#[^"'\n]*\1\s*:\s*(?!\s*[[{])("(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|[^\s,}\]"']+)/g;
const USERINFO = /:\/\/([^/?#\s"'<>@]+)@/g;
/**
 * The minimum length of secrets that are hidden everywhere: shorter ones would hide half of the text, and are hidden only at their own
 * place.
 */
const SHORTEST = 4;

/** @example createMask().cover('{"#token": "a1b2c3"}', 'json') // '{"#token": "⟨secret 1⟩"}' */
export function createMask(): Mask {
  const hidden: Hidden[] = [];
  const numbers = new Map<string, number>();
  const secrets = new Secrets();

  const placeholder = (each: Hidden): string => {
    const key = `${each.scalar === undefined ? 'piece' : 'scalar'} ${each.raw}`;
    const number = numbers.get(key) ?? hidden.push(each);
    numbers.set(key, number);
    return `⟨secret ${number}⟩`;
  };

  const learn = (values: readonly string[]): void => {
    secrets.add(...values.filter(({ length }) => length >= SHORTEST));
  };

  /** Returns the parts of the text that are no whole scalars. */
  const withoutPieces = (text: string): string => {
    let covered = '';
    let done = 0;
    for (const [from, to] of secrets.spansIn(text)) {
      covered += text.slice(done, from) + placeholder({ raw: text.slice(from, to) });
      done = to;
    }
    return covered + text.slice(done);
  };

  return {
    cover: (text, language) => {
      const scalars = scalarsOf(text, language);
      learn([...scalars.map(({ value }) => value), ...insideOf(text, language), ...unmarkedIn(text)]);
      let covered = '';
      let done = 0;
      for (const { start, end, value } of scalars) {
        const raw = text.slice(start, end);
        covered += `${withoutPieces(text.slice(done, start))}"${placeholder({ raw, scalar: value })}"`;
        done = end;
      }
      return covered + withoutPieces(text.slice(done));
    },
    hide: withoutPieces,
    uncover: (text, language) => {
      const restored = (write: (each: Hidden, scalar: string) => string): string =>
        text.replace(PLACEHOLDER, (_, quote: string, number: string) => {
          const each = hidden[Number(number) - 1];
          if (each === undefined) throw unknown();
          if (each.scalar === undefined) return quote + each.raw + quote;
          if (quote === '') return JSON.stringify(each.scalar).slice(1, -1);
          return write(each, each.scalar);
        });
      const verbatim = restored(({ raw }) => raw);
      const whole = !isReadable(text, language) || isReadable(verbatim, language);
      // A scalar of several lines may have been moved to where its indentation has another meaning.
      const result = whole ? verbatim : restored((_, scalar) => JSON.stringify(scalar));
      if (REMNANT.test(result)) throw unknown();
      return result;
    },
    learn,
    learnFrom: (config) => learn([...secretValues(config, isReference), ...unmarkedIn(stringifyJson(config))]),
    masked: (value) => maskedBy(secrets, value),
  };
}

/** Returns secrets without a marked key: values under revealing names, and passwords in addresses. */
const unmarkedIn = (text: string): readonly string[] => [
  ...secretsNamedIn(text),
  ...[...text.matchAll(USERINFO)].flatMap(([, userinfo = '']) => [userinfo, ...userinfo.split(':').slice(1)]),
];

function scalarsOf(text: string, language: Language): readonly WrittenScalar[] {
  const parsed = secretScalars(text, language).filter(({ value }) => value !== '');
  // Returns the secrets of a broken text; those of a readable one are already found.
  const broken = (isReadable(text, language) ? [] : [...text.matchAll(BROKEN)]).flatMap((match) => {
    const raw = match[2] ?? '';
    const start = match.index + match[0].length - raw.length;
    const end = start + raw.length;
    const value = raw.replace(/^["']|["']$/g, '');
    const isKnown = parsed.some((each) => each.start < end && start < each.end);
    return isKnown || value === '' || (language === 'yaml' && /^[|>&*!]/.test(raw)) ? [] : [{ start, end, value }];
  });
  return [...parsed, ...broken].sort((a, b) => a.start - b.start);
}

/** Returns the secrets inside of others, such as those of JSON text. */
function insideOf(text: string, language: Language): readonly string[] {
  try {
    return secretValues(valueOf(text, language), isReference);
  } catch {
    return [];
  }
}

function isReadable(text: string, language: Language): boolean {
  try {
    valueOf(text, language);
    return true;
  } catch {
    return false;
  }
}

function maskedBy(secrets: Secrets, value: unknown): unknown {
  if (typeof value === 'string') return secrets.maskValues(value);
  // The page has only numbers of JavaScript, which would change the digits.
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => maskedBy(secrets, each));
  return Object.fromEntries(
    Object.entries(value as Readonly<Record<string, Json>>).map(([key, inner]) => [
      secrets.maskValues(key),
      maskedBy(secrets, inner),
    ]),
  );
}

const unknown = (): RefusedRequest =>
  new RefusedRequest(
    422,
    'SECRET_UNKNOWN',
    'A placeholder such as ⟨secret 1⟩ stands for no secret of this file. Write the secret in its place, or undo the change.',
  );
