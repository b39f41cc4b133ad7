/** Everything that is made from the definitions, as files: pages of the manual, tables inside pages, the schema. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringifyJson } from '../../src/core/json/stringify';
import { objectIn, type Schema } from '../../src/language/codec/schema';
import { BUILT_IN } from '../../src/run/built-in-parts';
import { configurationSchema } from './language';
import { defaultOf, pageOfOptions, pageOfSink, sectionOfFunction, typeText } from '../../src/explore/manual/page';
import { pageOfMultiple } from '../../src/explore/manual/explain';
import { EXAMPLE_NOW } from '../../src/language/expressions/functions/define';
import * as sinks from '../../src/sinks/registry';
import { ROOT } from './build';

const LANGUAGE = 'docs/language';
const schema = configurationSchema();

/** Each generated file with its content. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const part of BUILT_IN.pagination.values())
    files.set(`${LANGUAGE}/pagination/${part.name}.md`, pageOfOptions(part));
  files.set(`${LANGUAGE}/pagination/multiple.md`, pageOfMultiple());
  for (const part of BUILT_IN.authentication.values())
    files.set(`${LANGUAGE}/authentication/${part.name}.md`, pageOfOptions(part));
  for (const part of BUILT_IN.format.values()) files.set(`${LANGUAGE}/formats/${part.name}.md`, pageOfOptions(part));
  files.set(`${LANGUAGE}/functions.md`, pageOfFunctions());
  for (const sink of Object.values(sinks)) files.set(`${LANGUAGE}/sinks/${sink.name}.md`, pageOfSink(sink));
  for (const [path, text] of pagesWithTables()) files.set(path, text);
  files.set('schema/headwater.schema.json', formatted(JSON.stringify(schema)));
  return files;
}

/** The page of all functions. */
function pageOfFunctions(): string {
  const when = new Date(EXAMPLE_NOW * 1000).toISOString();
  const intro = [
    'Call a function wherever an [expression](expressions.md) may stand: `{"function": NAME, "args": […]}`.',
    'Arguments without a type are scalars. Most functions take them as strings in UTF-8: `true` is `1`, `false` and `null` are empty.',
    `In the examples it is ${when}.`,
  ].join(' ');
  const example = [
    'A parameter with the day before:',
    '```json fragment config.jobs[0].params\n{ "from": { "function": "date", "args": ["Y-m-d", { "function": "strtotime", "args": ["-1 day"] }] } }\n```',
  ];
  const sections = Array.from(BUILT_IN.function.values(), sectionOfFunction);
  return `${['# Functions', ...example, intro, ...sections].join('\n\n')}\n`;
}

/** Tables that stand between `<!-- options: NAME -->` and `<!-- /options -->` on pages that are written by hand. */
function pagesWithTables(): readonly (readonly [string, string])[] {
  return readdirSync(join(ROOT, LANGUAGE))
    .filter((name) => name.endsWith('.md') && name !== 'functions.md')
    .map((name) => {
      const path = `${LANGUAGE}/${name}`;
      const text = readFileSync(join(ROOT, path), 'utf8');
      const made = text.replace(
        /<!-- options: (\S+) -->\n[\s\S]*?<!-- \/options -->/g,
        (_, table: string) => `<!-- options: ${table} -->\n\n${tableOf(table)}\n\n<!-- /options -->`,
      );
      return [path, made] as const;
    });
}

/** Keys that docs/language/jobs.md#batches explains. */
const BATCH = ['batch', 'batchSeparator', 'batchStyle'];
const NAMED: Readonly<Record<string, () => string>> = {
  root: () => tableAt(schema, ['bare']),
  job: () => tableAt(schema, ['job'], (key) => !BATCH.includes(key)),
  'job.window': () => tableAt(schema, ['job', 'window']),
  'job.incremental': () => tableAt(schema, ['job', 'incremental']),
  'api.pagination': () => tableAt(schema, ['pagination.pagenum'], (key) => ['method', ...STOPS].includes(key)),
};
const STOPS = ['limitStop', 'forceStop', 'nextPageFlag', 'stopWhenEmpty', 'total'];

function tableOf(name: string): string {
  const [first = '', ...rest] = name.split('.');
  const inPagination = name.startsWith('api.pagination.') ? ['pagination.pagenum', ...rest.slice(1)] : undefined;
  return (
    NAMED[name]?.() ??
    tableAt(
      schema,
      inPagination ?? [DEFINITIONS.has(first) ? first : 'bare', ...(DEFINITIONS.has(first) ? rest : [first, ...rest])],
    )
  );
}
const DEFINITIONS = new Set(['api', 'config', 'job']);

/** The table of an object: the first key is a definition, the others lead inside; a number is a branch. */
function tableAt(
  document: typeof schema,
  [first = '', ...keys]: readonly string[],
  isShown: (key: string) => boolean = () => true,
): string {
  const object = objectAt(document, [first, ...keys]);
  const shown = Object.entries(object.properties).filter(([key]) => isShown(key) && key !== '$schema');
  return optionsTable(Object.fromEntries(shown), object.required);
}

type WithOptions = Schema & { readonly properties: NonNullable<Schema['properties']> };

function objectAt(document: typeof schema, [first = '', ...keys]: readonly string[]): WithOptions {
  const { $defs } = document;
  const found = keys.reduce<Schema | undefined>((place, key) => {
    if (place === undefined) return undefined;
    return /^\d$/.test(key) ? place.anyOf?.[Number(key)] : objectIn(place, $defs)?.properties?.[key];
  }, $defs[first]);
  const object = found === undefined ? undefined : objectIn(found, $defs);
  if (object?.properties === undefined) throw new Error(`no options at ${[first, ...keys].join('.')}`);
  return { ...object, properties: object.properties };
}

/** Options that a page explains in sentences, by its name: where they are in the schema. */
const IN_SENTENCES: Readonly<Record<string, readonly string[]>> = {
  'asynchronous-jobs': ['job asynchronous', 'job asynchronous submit', 'job asynchronous poll'],
  configuration: ['bare image_parameters', 'bare sshProxy', 'bare aws', 'bare cache'],
  mappings: ['mappingEntry 1', 'mappingEntry 1 mapping', 'mappingEntry 2', 'mappingEntry 2 parentKey'],
  'rate-limits': ['api http rateLimit'],
  responses: ['api http rules', 'api http rules wait'],
  retries: ['api retryConfig http', 'api retryConfig curl'],
  stops: ['limitStop', 'forceStop', 'nextPageFlag', 'total'].map((name) => `pagination.pagenum ${name}`),
};

/** Returns pages of the language, each with an option that it has to explain. */
export const optionsInSentences = (): readonly (readonly [page: string, option: string])[] =>
  Object.entries(IN_SENTENCES).flatMap(([page, places]) => {
    const keys = places.flatMap((place) =>
      Object.entries(objectAt(schema, place.split(' ')).properties).flatMap(([key, { deprecated }]) =>
        deprecated === true ? [] : [key],
      ),
    );
    return [...new Set(keys)].map((key) => [`${LANGUAGE}/${page}.md`, key] as const);
  });

/**
 * Returns a table of options: key, type, default, and description.
 *
 * @param properties the schemas of the options, by their keys
 * @param required the required keys
 * @example optionsTable({ limit: integer.schema() }, ['limit'])
 */
function optionsTable(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): string {
  const rows = Object.entries(properties)
    .filter(([, { deprecated }]) => deprecated !== true)
    .map(([key, schema]) => {
      const byDefault = required.includes(key) ? '**required**' : defaultOf(schema);
      const [example] = schema.examples ?? [];
      const shown = example === undefined ? '' : `\`${stringifyJson(example)}\``;
      return [`\`${key}\``, typeText(schema), byDefault, schema.description ?? '', shown];
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

/** As prettier has it. It cannot run inside of jest. */
const formatted = (input: string): string =>
  execFileSync(process.execPath, ['node_modules/prettier/bin/prettier.cjs', '--stdin-filepath', 'x.json'], {
    cwd: ROOT,
    encoding: 'utf8',
    input,
  });
