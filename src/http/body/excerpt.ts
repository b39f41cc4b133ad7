import type { Secrets } from '../../core/secrets/secrets';
import { learnFromText } from './learn-secrets';

const EXCERPT_LENGTH = 300;
/** The most characters of a body that are searched for secrets. */
const SEARCHED_LENGTH = 65_536;

/** How a body begins, for messages: on one line, masked, and cut. */
export function excerpt(text: string, secrets: Secrets): string {
  const { masked, isLong } = maskedBeginning(text, secrets);
  const line = oneLine(masked);
  if (line === '') return isLong ? '…' : 'The body is empty.';
  return cut(line, EXCERPT_LENGTH);
}

/**
 * Masks a body before it is cut, since half a secret would slip through. What may be one at the end of a long body is
 * dropped.
 */
export function maskedBeginning(text: string, secrets: Secrets): { readonly masked: string; readonly isLong: boolean } {
  learnFromText(text.slice(0, SEARCHED_LENGTH), secrets);
  const isLong = text.length > SEARCHED_LENGTH + secrets.longest;
  const masked = isLong
    ? secrets.mask(text.slice(0, SEARCHED_LENGTH + secrets.longest)).slice(0, -secrets.longest)
    : secrets.mask(text);
  return { masked, isLong };
}

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

export const cut = (line: string, length: number): string =>
  line.length > length ? `${line.slice(0, length)}…` : line;
