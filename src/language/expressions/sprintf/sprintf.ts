import type { JsonScalar } from '../../../core/model';
import { ScriptError } from '../script-error';
import type { Formatted } from './sprintf-types';
import { CONVERSIONS } from './sprintf-types';

/** Four digits of width and two of precision are more than anybody needs. */
const PLACEHOLDER =
  /%(?:(?<position>\d+)\$)?(?<flags>(?:[-+ 0]|'.)*)(?<width>\d{1,4})?(?:\.(?<precision>\d{0,2}))?(?<type>.)?/gsu;

function padded({ sign, body }: Formatted, type: string, flags: readonly string[], width: number): string {
  // The last padding flag wins; of a quote and a character, the character pads.
  const padding = flags.filter((flag) => flag !== '-' && flag !== '+').at(-1) ?? ' ';
  const fill = padding.startsWith("'") ? padding.slice(1) : padding;
  const missing = Math.max(width - Array.from(sign + body).length, 0);
  // Zeros behind an integer would make another number of it.
  if (flags.includes('-')) return sign + body + (fill === '0' && 'du'.includes(type) ? ' ' : fill).repeat(missing);
  return fill === '0' ? sign + fill.repeat(missing) + body : fill.repeat(missing) + sign + body;
}

function valueFor(position: string | undefined, next: () => number, values: readonly JsonScalar[]): JsonScalar {
  const at = position === undefined ? next() : Number(position) - 1;
  const value = values[at];
  if (value !== undefined) return value;
  throw new ScriptError(`the format asks for value ${at + 1}, but there are ${values.length}.`);
}

/**
 * Values in a format (docs/language/sprintf.md#places): `%[n$][flags][width][.precision]type`.
 *
 * @param values taken in order; `n$` names one by its number, which begins with 1
 * @throws ScriptError for too few values and for an unknown type
 * @example sprintf('%05d of %s', [42, 'many']) // '00042 of many'
 */
export function sprintf(format: string, values: readonly JsonScalar[]): string {
  let taken = 0;
  return format.replace(PLACEHOLDER, (...match: unknown[]) => {
    const part = match.at(-1) as Readonly<Record<string, string | undefined>>;
    const { type } = part;
    if (type === '%') return '%';
    if (type === undefined) throw new ScriptError('the format ends within a placeholder; a plain % is written %%.');
    const convert = CONVERSIONS.get(type);
    if (convert === undefined)
      throw new ScriptError(
        `unknown type '${type}' after %; the types are ${[...CONVERSIONS.keys()].join(', ')} and %.`,
      );
    const value = valueFor(part['position'], () => taken++, values);
    const flags: readonly string[] = part['flags']?.match(/'.|[-+ 0]/gsu) ?? [];
    const precision = part['precision'] === undefined ? {} : { precision: Number(part['precision']) };
    const formatted = convert(value, { showPlus: flags.includes('+'), ...precision });
    return padded(formatted, type, flags, Number(part['width'] ?? 0));
  });
}
