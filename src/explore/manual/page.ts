/** The page of a part of the language, made from its definition. */
import type { Made } from '../../core/durable-sink';
import { stringifyJson } from '../../core/json/stringify';
import type { Json } from '../../core/model';
import type { Component, ExampleExchange, WorkedExample } from '../../language/codec/component';
import { fieldsSchema, propertiesSchema } from '../../language/codec/record';
import type { Documentation, Fields } from '../../language/codec/record';
import type { Schema } from '../../language/codec/schema';
import { EXAMPLE_NOW } from '../../language/expressions/functions/define';
import type { FunctionDefinition } from '../../language/expressions/functions/define';
import type { MiddlewareDefinition } from '../../language/parts/middleware';
import type { SinkOutline } from '../../language/parts/sink';

/** The input of the page of a part with options. */
interface OptionsPage extends Pick<Component, 'name' | 'summary' | 'use' | 'rules' | 'example' | 'options'> {
  /** An example of a response, if it matters. */
  readonly answer?: string;
  /** An example of the requests, if it matters. */
  readonly travels?: string;
  /** Settings that are required elsewhere in the configuration, by their paths. */
  readonly needs?: Readonly<Record<string, Documentation>>;
}

/**
 * Returns the page of a part with options: what it is, when to use it, its options, its rules, and an example that runs.
 *
 * @example process.stdout.write(pageOfOptions(offset));
 */
export function pageOfOptions(part: OptionsPage): string {
  const { name, summary, use, answer, travels, needs = {}, options, rules, example } = part;
  return page([
    `# \`${name}\``,
    summary,
    section('When to use it', use),
    section('What the answer looks like', answer),
    section('What travels', travels),
    section('Options', optionsOf(options)),
    section('What stands elsewhere', Object.keys(needs).length === 0 ? undefined : needsOf(needs)),
    section('Rules', listOf(rules)),
    section('Example', example && exampleText(example)),
  ]);
}

/** Returns the page of a sink. */
export function pageOfSink({ name, summary, use, address, makes, rules, example, options = {} }: SinkOutline): string {
  const shown = example === undefined ? '' : `; for example \`${example}\``;
  return page([
    `# \`${name}\``,
    summary,
    section('When to use it', use),
    section('Address', `${address.map((form) => `\`${form}\``).join(', ')}${shown}.`),
    section('What it makes', MADE[makes ?? 'items']),
    section('Settings', settingsOf(options)),
    section('Rules', listOf(rules)),
  ]);
}

/** Returns the page of a middleware. */
export const pageOfMiddleware = ({ name, summary, around }: MiddlewareDefinition): string =>
  page([`# \`${name}\``, summary, `It stands around each ${around}.`]);

const settingsOf = (options: Fields): string =>
  Object.keys(options).length === 0
    ? 'It has none.'
    : `[Keys beside \`to\`, or parameters of the address](../../sinks.md#settings):\n\n${optionsOf(options)}`;

const MADE: Readonly<Record<Made | 'items', string>> = {
  messages: 'A message an item. Messages are added to those of earlier runs.',
  tables: 'A table a `dataType`, with a row an item.',
  'linked-tables': 'Linked tables: by the [mappings](../mappings.md), or [automatic](../tables.md) ones.',
  items: 'The items, as they came.',
};

/** Returns the section of a function in the manual. */
export function sectionOfFunction(definition: FunctionDefinition): string {
  const { name, summary, use, arguments: taken, result, rules, examples = [] } = definition;
  const rows = taken.map(({ name: each, about = '', optional = false, repeated = false, type = 'a scalar' }) => [
    `\`${each}\``,
    `${type}${optional ? ', may be left out' : ''}${repeated ? ', any number' : ''}`,
    about,
  ]);
  return joined([
    `## ${name}`,
    [summary, use].flatMap((sentence) => sentence ?? []).join(' ') || undefined,
    rows.length === 0 ? 'It takes no arguments.' : table(['argument', 'type', 'what it is'], rows),
    result && `**Gives:** ${result}`,
    listOf(rules),
    ...examples.map(({ args, result: value }) => functionExample(name, args, value)),
  ]);
}

function functionExample(name: string, args: readonly Json[], value: Json): string {
  const now = fence('json options', stringifyJson({ now: new Date(EXAMPLE_NOW * 1000).toISOString() }));
  return [
    fence('json expression', stringifyJson({ function: name, args })),
    now,
    fence('json value', stringifyJson(value)),
  ].join('\n\n');
}

/** Joins what there is: a part of an application may have no texts. */
const joined = (sections: readonly (string | undefined)[]): string =>
  sections.filter((each) => each !== undefined).join('\n\n');

const page = (sections: readonly (string | undefined)[]): string => `${joined(sections)}\n`;

const section = (title: string, text: string | undefined): string | undefined =>
  text === undefined ? undefined : `## ${title}\n\n${text}`;

const listOf = (sentences: readonly string[] = []): string | undefined =>
  sentences.length === 0 ? undefined : sentences.map((each, at) => `${at + 1}. ${each}`).join('\n');

const needsOf = (needs: Readonly<Record<string, Documentation>>): string =>
  table(
    ['place', 'what it is', 'example'],
    Object.entries(needs).map(([place, { about, example }]) => [
      `\`${place}\``,
      about,
      `\`${stringifyJson(example)}\``,
    ]),
  );

const optionsOf = (options: Fields): string =>
  Object.keys(options).length === 0
    ? 'It has none.'
    : optionsTable(propertiesSchema(options), fieldsSchema(options).required, '../');

/** Returns a worked example as text: a configuration, its exchanges, the items. */
function exampleText({ about, config, exchanges, items }: WorkedExample): string {
  const blocks = [
    fence('json configuration', pretty(config)),
    ...exchanges.map((exchange) => fence('http', exchangeText(exchange))),
    fence('json items', listText(items)),
  ];
  return [about, ...blocks].join('\n\n');
}

const fence = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\``;

function exchangeText({
  request,
  requestHeaders,
  requestBody,
  status = 200,
  headers,
  response,
}: ExampleExchange): string {
  const asked = [request, ...headerLines(requestHeaders)].join('\n');
  const sent = requestBody === undefined ? [asked] : [asked, bodyText(requestBody)];
  const answered = [String(status), ...headerLines(headers)].join('\n');
  return [...sent, answered, bodyText(response)].join('\n\n');
}

const headerLines = (headers: Readonly<Record<string, string>> = {}): readonly string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

const bodyText = (body: Json): string => (typeof body === 'string' ? body : stringifyJson(body));

const listText = (items: readonly Json[]): string =>
  items.length === 0 ? '[]' : `[\n${items.map((item) => `  ${stringifyJson(item)}`).join(',\n')}\n]`;

const pretty = (value: unknown): string => JSON.stringify(value, undefined, 2);

// Makes tables of options in Markdown from a schema.

/**
 * Returns a table of options: key, type, default, and description.
 *
 * @param properties the schemas of the options, by their keys
 * @param required the required keys
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

/** Returns a table in Markdown, its columns as wide as their cells. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
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

/** The reference to any value is described once (docs/language/secrets.md). */
const REFERENCE = '#/$defs/reference';

/** Returns the type of a value in words; forms that are accepted only for tolerance are left out. */
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
