/** Tables of options in Markdown, made from a schema. */
import type { Schema } from '../../language/codec/schema';
import { stringifyJson } from '../../core/json/stringify';

/**
 * A table of options: key, type, default, and what each does.
 *
 * @param properties the schemas of the options, by their keys
 * @param required the keys that must be there
 * @param base the relative path from the page to the folder of the manual, for example `../`
 * @example optionsTable({ limit: integer.schema() }, ['limit'])
 */
export function optionsTable(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
  base = '',
): string {
  const rows = Object.entries(properties)
    .filter(([, { deprecated }]) => deprecated !== true)
    .map(([key, schema]) => {
      const byDefault = required.includes(key) ? '**required**' : defaultOf(schema);
      const [example] = schema.examples ?? [];
      const shown = example === undefined ? '' : `\`${stringifyJson(example)}\``;
      return [`\`${key}\``, typeText(schema).replaceAll('](', `](${base}`), byDefault, schema.description ?? '', shown];
    });
  return table(['key', 'type', 'default', 'what it does', 'example'], rows);
}

/** A table in Markdown, its columns as wide as their cells. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = [head, ...rows].map((cells) => cells.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, at) => Math.max(3, ...escaped.map((cells) => (cells[at] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width)).join(' | ')} |`;
  const [first = [], ...others] = escaped;
  return [line(first), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...others.map(line)].join('\n');
}

const defaultOf = (schema: Schema): string => {
  const byDefault = schema.default ?? schema.anyOf?.[0]?.default;
  return byDefault === undefined ? '' : `\`${stringifyJson(byDefault)}\``;
};

/** The definitions that have a page, by their names in the schema. */
const PAGES: Readonly<Record<string, string>> = {
  expression: '[expression](expressions.md)',
  mapping: '[mapping](mappings.md)',
  job: '[job](jobs.md)',
  childJob: '[job](jobs.md)',
  pagination: '[pagination](pagination.md)',
  scroller: '[pagination](pagination.md)',
  authentication: '[authentication](authentication.md)',
  format: '[format](responses.md#formats)',
};

/** What may stand for any value is said once (docs/language/secrets.md). */
const REFERENCE = '#/$defs/reference';

/** What a value may be, in words; what is taken for tolerance alone is left out. */
function typeText(schema: Schema): string {
  const { $ref, anyOf, type, enum: words, const: constant, items, additionalProperties, properties } = schema;
  if ($ref !== undefined) return PAGES[$ref.replace('#/$defs/', '')] ?? 'object';
  if (anyOf !== undefined && properties === undefined) {
    const branches = anyOf
      .filter(({ $ref: inner, deprecated }) => deprecated !== true && inner !== REFERENCE)
      .map(typeText);
    return [...new Set(branches)].join(' or ');
  }
  if (constant !== undefined) return `\`${stringifyJson(constant)}\``;
  if (words !== undefined)
    return words.map((word) => `\`${typeof word === 'string' ? word : stringifyJson(word)}\``).join(', ');
  if (type === undefined) return 'any';
  const types = typeof type === 'string' ? [type] : type;
  return types
    .map((each) => {
      if (each === 'array' && items !== undefined) return `array: ${typeText(items)}`;
      return each === 'object' && additionalProperties !== undefined
        ? `object: ${typeText(additionalProperties)}`
        : each;
    })
    .join(' or ');
}
