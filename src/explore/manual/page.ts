/** The page of a part of the language, made from its definition. */
import type { Made } from '../../core/durable-sink';
import { entriesOf, isList, isObject } from '../../core/json/objects';
import { stringifyJson } from '../../core/json/stringify';
import type { Json } from '../../core/model';
import type { Component, ExampleExchange, WorkedExample } from '../../language/codec/component';
import { fieldsSchema, propertiesSchema } from '../../language/codec/record';
import type { Documentation, Fields } from '../../language/codec/record';
import type { Schema } from '../../language/codec/schema';
import type {
  FunctionArgument,
  FunctionDefinition,
  FunctionExample,
} from '../../language/expressions/functions/define';
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
 * Returns the page of a part with options: what it is, an example that runs, its options, its rules.
 *
 * @example process.stdout.write(pageOfOptions(offset));
 */
export function pageOfOptions(part: OptionsPage): string {
  const { name, summary, use, answer, travels, needs = {}, options, rules, example } = part;
  return page([
    `# \`${name}\``,
    sentences(summary, use),
    answer === undefined ? undefined : `**Response:** ${answer}`,
    travels === undefined ? undefined : `**Sent:** ${travels}`,
    example && exampleText(example),
    section('Options', Object.keys(options).length === 0 ? undefined : optionsOf(options)),
    section('Credentials', Object.keys(needs).length === 0 ? undefined : needsOf(needs)),
    section('Rules', listOf(rules)),
  ]);
}

/** Returns the page of a sink. */
export function pageOfSink({ name, summary, use, address, makes, rules, example, options = {} }: SinkOutline): string {
  return page([
    `# \`${name}\``,
    sentences(summary, use),
    example && fence('sh', `headwater run config.json --to ${example.includes('?') ? `'${example}'` : example}`),
    `Addresses: ${address.map((form) => `\`${form}\``).join(', ')}. ${MADE[makes ?? 'items']}`,
    section('Settings', Object.keys(options).length === 0 ? undefined : settingsOf(options)),
    section('Rules', listOf(rules)),
  ]);
}

/** Returns the page of a middleware. */
export const pageOfMiddleware = ({ name, summary, around }: MiddlewareDefinition): string =>
  page([`# \`${name}\``, summary, `It stands around each ${around}.`]);

const settingsOf = (options: Fields): string =>
  `[Beside \`to\`, or in the address](../../sinks.md#settings):\n\n${optionsOf(options)}`;

const MADE: Readonly<Record<Made | 'items', string>> = {
  messages: 'Messages are added to those of earlier runs.',
  tables: 'Each `dataType` is a table.',
  'linked-tables': 'Tables are [mapped](../mappings.md) or [automatic](../tables.md).',
  items: 'Items stay as they came.',
};

/** Returns the section of a function in the manual. */
export function sectionOfFunction(definition: FunctionDefinition): string {
  const { name, summary, use, arguments: taken, result, rules = [], examples = [] } = definition;
  return joined([
    `## ${name}`,
    sentences(summary, use),
    taken.length === 0 ? undefined : taken.map(argumentLine).join('\n'),
    sentences(result && `Result: ${result}`, ...rules),
    examples.length === 0 ? undefined : examples.map((example) => exampleOf(name, example)).join('\n'),
  ]);
}

function argumentLine({ name, about, optional = false, repeated = false, type }: FunctionArgument): string {
  const facts = [type, optional && 'optional', repeated && 'repeatable'].filter(Boolean).join(', ');
  const named = facts === '' ? `\`${name}\`` : `\`${name}\` (${facts})`;
  return about === undefined ? `- ${named}` : `- ${named}: ${about}`;
}

/** Returns a call and its value at the time of examples. */
const exampleOf = (name: string, { args, result }: FunctionExample): string =>
  `- \`${stringifyJson({ function: name, args })}\` → \`${stringifyJson(result)}\``;

// A part of an application may have no texts.

const sentences = (...given: readonly (string | undefined)[]): string | undefined =>
  given.flatMap((each) => each ?? []).join(' ') || undefined;

const joined = (sections: readonly (string | undefined)[]): string =>
  sections.filter((each) => each !== undefined).join('\n\n');

const page = (sections: readonly (string | undefined)[]): string => `${joined(sections)}\n`;

const section = (title: string, text: string | undefined): string | undefined =>
  text === undefined ? undefined : `## ${title}\n\n${text}`;

const listOf = (rules: readonly string[] = []): string | undefined =>
  rules.length === 0 ? undefined : rules.map((each) => `- ${each}`).join('\n');

const needsOf = (needs: Readonly<Record<string, Documentation>>): string =>
  Object.entries(needs)
    .map(([place, { about, example }]) => `- \`${place}\` (\`${stringifyJson(example)}\`): ${about}`)
    .join('\n');

/** Returns options in lines of Markdown: a terminal has no room for a table. */
function optionsOf(options: Fields): string {
  const { required = [] } = fieldsSchema(options);
  return Object.entries(propertiesSchema(options))
    .filter(([, { deprecated }]) => deprecated !== true)
    .map(([key, schema]) => {
      const byDefault = defaultOf(schema);
      const facts = [
        typeText(schema).replaceAll('](', '](../'),
        required.includes(key) && 'required',
        byDefault !== '' && `default ${byDefault}`,
      ];
      return [
        `- \`${key}\` (${facts.filter(Boolean).join('; ')}): ${schema.description ?? ''}`,
        ...(schema.examples ?? [])
          .slice(0, 1)
          .flatMap((example) => (isTelling(schema, example) ? `Example: \`${stringifyJson(example)}\`.` : [])),
      ].join(' ');
    })
    .join('\n');
}

/** Returns whether an example says more than the type. */
const isTelling = (schema: Schema, example: Json): boolean =>
  typeof example === 'object' || (typeof example === 'string' && !typeText(schema).includes(`\`${example}\``));

/** Returns a worked example as text: a configuration, its exchanges, the items. */
function exampleText({ about, config, exchanges, items }: WorkedExample): string {
  const blocks = [
    fence('json configuration', laidOut(config)),
    ...exchanges.map((exchange) => fence('http', exchangeText(exchange))),
    fence('json items', stringifyJson(items)),
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

/** The most characters of a line of JSON. */
const WIDTH = 100;

/** Returns JSON with one line for each value that fits into one. */
function laidOut(value: Json, indent = ''): string {
  const line = inLine(value);
  if (indent.length + line.length <= WIDTH) return line;
  const deeper = `${indent}  `;
  if (isList(value)) return `[\n${value.map((each) => deeper + laidOut(each, deeper)).join(',\n')}\n${indent}]`;
  if (!isObject(value)) return line;
  const members = entriesOf(value).map(([key, each]) => `${deeper}${stringifyJson(key)}: ${laidOut(each, deeper)}`);
  return `{\n${members.join(',\n')}\n${indent}}`;
}

function inLine(value: Json): string {
  if (isList(value)) return `[${value.map(inLine).join(', ')}]`;
  if (!isObject(value)) return stringifyJson(value);
  return `{${entriesOf(value)
    .map(([key, each]) => `${stringifyJson(key)}: ${inLine(each)}`)
    .join(', ')}}`;
}

/** Returns the default of an option as Markdown; empty if it has none. */
export const defaultOf = (schema: Schema): string => {
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
export function typeText(schema: Schema): string {
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
