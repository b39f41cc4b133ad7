import { didYouMean } from '../../language/expressions/nearest';
import type { Moment } from './moment';

/** What a template may name in braces. */
export interface TemplateValues extends Moment {
  readonly signature: string;
  readonly keyId: string;
}

const NAMES: readonly (keyof TemplateValues)[] = ['signature', 'timestamp', 'nonce', 'keyId'];
const PLACE = /\{([^{}]*)\}/g;

const namesIn = (template: string): readonly string[] => Array.from(template.matchAll(PLACE), ([, name = '']) => name);

/** Whether the template has the id of the key in it. */
export const namesKeyId = (template: string): boolean => namesIn(template).includes('keyId');

/** What is wrong with a template. */
export function templateFault(template: string): string | undefined {
  const names = namesIn(template);
  const unknown = names.find((name) => !NAMES.some((known) => known === name));
  if (unknown !== undefined) return `has {…} with an unknown name.${didYouMean(unknown, [...NAMES])}`;
  return names.includes('signature') ? undefined : 'has no {signature}: nothing would be signed';
}

/**
 * The text of the header that has the signature.
 *
 * @example filled('HMAC {keyId}:{signature}', values) // 'HMAC k1:9f86d081'
 */
export const filled = (template: string, values: TemplateValues): string =>
  template.replace(PLACE, (_, name: keyof TemplateValues) => values[name]);
