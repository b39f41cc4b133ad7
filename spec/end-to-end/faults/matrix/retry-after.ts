/** What `Retry-After` may hold. The moment of the specs is fixed, so that dates can be exact. */

/** What a form asks for. */
export type Asked =
  /** This delay, in seconds. */
  | { readonly kind: 'delay'; readonly seconds: number }
  /** Nothing that can be used: the delay is the engine's own. */
  | { readonly kind: 'own' }
  /** More than `maxDelay`: the run ends, and says when the API may be asked again. */
  | { readonly kind: 'too-long' };

export interface RetryAfter {
  readonly says: string;
  /** The value at this moment, in milliseconds; `undefined`: there is no such header. */
  readonly value: (now: number) => string | undefined;
  readonly asks: Asked;
}

const delay = (seconds: number): Asked => ({ kind: 'delay', seconds });
const OWN: Asked = { kind: 'own' };
const TOO_LONG: Asked = { kind: 'too-long' };

const httpDate = (milliseconds: number): string => new Date(milliseconds).toUTCString();
const rfc850 = (milliseconds: number): string => {
  const [, day, month, year = '', time] = httpDate(milliseconds).split(' ');
  return `Sunday, ${day}-${month}-${year.slice(2)} ${time} GMT`;
};
const inSeconds = (now: number): number => Math.floor(now / 1000);

export const RETRY_AFTER: readonly RetryAfter[] = [
  { says: 'is absent', value: () => undefined, asks: OWN },
  { says: 'is empty', value: () => '', asks: OWN },
  { says: '`0`', value: () => '0', asks: delay(0) },
  { says: '`1`', value: () => '1', asks: delay(1) },
  { says: '`  7  `, with blanks', value: () => '  7  ', asks: delay(7) },
  { says: '`2.1`: its fraction is rounded up', value: () => '2.1', asks: delay(3) },
  { says: '`0.5`: its fraction is rounded up', value: () => '0.5', asks: delay(1) },
  { says: '`-5`', value: () => '-5', asks: delay(0) },
  { says: '`120`, the longest', value: () => '120', asks: delay(120) },
  { says: '`121`', value: () => '121', asks: TOO_LONG },
  { says: 'a year', value: () => '31536000', asks: TOO_LONG },
  { says: '`99999999999999999999`, which is no time', value: () => '99999999999999999999', asks: OWN },
  { says: 'a date in 30 seconds', value: (now) => httpDate(now + 30_000), asks: delay(30) },
  { says: 'a date a minute ago', value: (now) => httpDate(now - 60_000), asks: delay(0) },
  { says: 'a date of 1970', value: () => httpDate(0), asks: delay(0) },
  { says: 'a date in an hour', value: (now) => httpDate(now + 3_600_000), asks: TOO_LONG },
  { says: 'a date in the older form of RFC 850', value: (now) => rfc850(now + 30_000), asks: OWN },
  { says: 'a Unix timestamp in 30 seconds', value: (now) => String(inSeconds(now) + 30), asks: delay(30) },
  { says: 'a Unix timestamp a minute ago', value: (now) => String(inSeconds(now) - 60), asks: delay(0) },
  { says: 'a timestamp in milliseconds', value: (now) => String(now + 30_000), asks: TOO_LONG },
  { says: '`soon`', value: () => 'soon', asks: OWN },
  { says: '`1, 2`', value: () => '1, 2', asks: OWN },
  { says: '`0x10`', value: () => '0x10', asks: OWN },
  { says: '`PT30S`', value: () => 'PT30S', asks: OWN },
];
