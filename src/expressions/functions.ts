import { isBlank } from '../json/blank';
import type { Json } from '../model';
import type { Arguments } from './arguments';
import { allTexts, scalarAt, textAt, textsAt, timestampAt } from './arguments';
import { FARTHEST_SECOND } from './calendar';
import { formatDate } from './date-format';
import { base64Encode, urlEncode } from './encoding';
import { hash, hashHmac } from './hashing';
import { parseTime } from './relative-time';
import { ScriptError } from './script-error';
import { sprintf } from './sprintf';

export type FunctionName =
  | 'md5'
  | 'sha1'
  | 'base64_encode'
  | 'hash'
  | 'hash_hmac'
  | 'time'
  | 'date'
  | 'strtotime'
  | 'sprintf'
  | 'concat'
  | 'implode'
  | 'ifempty'
  | 'urlencode';

/** A function of the expression language. */
export interface ScriptFunction {
  /** How many arguments it takes: at least, at most. */
  readonly takes: readonly [number, number];
  /**
   * @param now Unix seconds
   * @throws ScriptError for arguments that it cannot use
   */
  readonly call: (args: Arguments, now: number) => Json;
}

const ANY_NUMBER = Infinity;

function date(args: Arguments, now: number): string {
  const timestamp = timestampAt(args, 1, now);
  if (Math.abs(timestamp) <= FARTHEST_SECOND) return formatDate(textAt(args, 0), timestamp);
  throw new ScriptError('argument 2 is beyond the calendar; a timestamp counts seconds, not milliseconds.');
}

/** Every function, by the name that configurations use (specification 2.4, language 7.2). */
export const functions = {
  md5: { takes: [1, 1], call: (args) => hash('md5', textAt(args, 0)) },
  sha1: { takes: [1, 1], call: (args) => hash('sha1', textAt(args, 0)) },
  base64_encode: { takes: [1, 1], call: (args) => base64Encode(textAt(args, 0)) },
  hash: { takes: [2, 2], call: (args) => hash(textAt(args, 0), textAt(args, 1)) },
  hash_hmac: { takes: [3, 3], call: (args) => hashHmac(textAt(args, 0), textAt(args, 1), textAt(args, 2)) },
  time: { takes: [0, 0], call: (_args, now) => now },
  date: { takes: [1, 2], call: date },
  strtotime: { takes: [1, 2], call: (args, now) => parseTime(textAt(args, 0), timestampAt(args, 1, now)) ?? false },
  sprintf: {
    takes: [1, ANY_NUMBER],
    call: (args) => {
      const [format, ...values] = args.map((_value, at) => scalarAt(args, at));
      return sprintf(String(format), values);
    },
  },
  concat: { takes: [0, ANY_NUMBER], call: (args) => allTexts(args).join('') },
  implode: { takes: [2, 2], call: (args) => textsAt(args, 1).join(textAt(args, 0)) },
  ifempty: { takes: [2, 2], call: ([value, fallback]) => (isBlank(value) ? (fallback ?? null) : (value ?? null)) },
  urlencode: { takes: [1, 1], call: (args) => urlEncode(textAt(args, 0)) },
} satisfies Record<FunctionName, ScriptFunction>;
