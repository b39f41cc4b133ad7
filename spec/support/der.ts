/** What certificates are written in: DER, of which this has what they need. */

/** A value with its tag. */
export function der(tag: number, value: Buffer): Buffer {
  const { length } = value;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), value]);
  const bytes = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), value]);
}

export const list = (...values: readonly Buffer[]): Buffer => der(0x30, Buffer.concat(values));
export const text = (value: string): Buffer => der(0x0c, Buffer.from(value));
export const content = (value: Buffer): Buffer => der(0x04, value);

/** `20300102030405Z`, or without its century before 2050, as RFC 5280 wants it. */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().replace(/[-:T]|\..*/g, '')}Z`;
  return date.getUTCFullYear() < 2050 ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits));
}

/** @example identifier('2.5.4.3') */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number);
  return der(0x06, Buffer.from([40 * first + second, ...others.flatMap(inBase128)]));
}

/** Seven bits a byte; all but the last byte have the eighth. */
const inBase128 = (number: number): readonly number[] =>
  number < 0x80 ? [number] : [...inBase128(number >> 7).map((byte) => byte | 0x80), number & 0x7f];
