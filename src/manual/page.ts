/** The page of a part of the language, made from its definition. */
import type { Component, ExampleExchange, WorkedExample } from '../codec/component';
import { fieldsSchema, propertiesSchema, type Fields } from '../codec/record';
import type { Json } from '../model';
import { stringifyJson } from '../json/stringify';
import { optionsTable } from './options-table';

/** What a page is made of. */
export interface Page extends Pick<Component, 'name' | 'summary' | 'use' | 'rules' | 'example'> {
  readonly options: Fields;
  /** What an answer of the API looks like, where that matters. */
  readonly answer?: string;
}

/**
 * The page of a part in Markdown: what it is, when to use it, its options, its rules, and an example that runs.
 *
 * @example process.stdout.write(pageOf(offset));
 */
export function pageOf({ name, summary, use, answer, options, rules, example }: Page): string {
  const sections = [
    `# \`${name}\``,
    summary,
    `## When to use it\n\n${use}`,
    ...(answer === undefined ? [] : [`## What the answer looks like\n\n${answer}`]),
    `## Options\n\n${optionsOf(options)}`,
    `## Rules\n\n${rules.map((rule, at) => `${at + 1}. ${rule}`).join('\n')}`,
    `## Example\n\n${exampleText(example)}`,
  ];
  return `${sections.join('\n\n')}\n`;
}

const optionsOf = (options: Fields): string =>
  Object.keys(options).length === 0
    ? 'It has none.'
    : optionsTable(propertiesSchema(options), fieldsSchema(options).required);

/** The grammar of worked examples: a configuration, its exchanges, the items. */
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
