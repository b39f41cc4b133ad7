const RFC_1123 = /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} (?:GMT|UTC|[+-]\d{4})$/;

/**
 * The moment of a date as HTTP writes it (RFC 1123), in milliseconds since the epoch; `undefined` for any other string.
 *
 * @example httpDate('Thu, 01 Dec 2022 16:00:00 GMT') // 1669910400000
 */
export function httpDate(text: string): number | undefined {
  const moment = RFC_1123.test(text.trim()) ? Date.parse(text) : NaN;
  return Number.isNaN(moment) ? undefined : moment;
}
