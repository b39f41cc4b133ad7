/**
 * Writes docs/airbyte-sources.md: which streams of the published sources translate, and what the others need.
 *
 *     npm run build && node scripts/airbyte-sources.mjs --wheels FOLDER
 *
 * The wheels are translated with a configuration that is made of their specification: defaults, first choices, and values of the right type. Nothing is requested.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connectionSpecificationOf, fromAirbyte, readAirbyteManifest } from '../dist/index.mjs';

const { wheels } = parseArgs({ options: { wheels: { type: 'string', default: 'dl' } } }).values;
const root = fileURLToPath(new URL('..', import.meta.url));

/** The spellings of dates that sources ask for; the one with which most streams translate counts. */
const DATES = ['2024-01-25T00:00:00Z', '2024-01-25', '25/01/2024 00:00', '20240125'];
let [date] = DATES;

/** Returns a value that a schema allows. */
function valueOf(schema, name = '') {
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const [choice] = schema.oneOf ?? schema.anyOf ?? [];
  if (choice !== undefined) return { ...membersOf(schema), ...valueOf({ type: 'object', ...choice }, name) };
  const type = [schema.type].flat().find((each) => each !== 'null');
  if (type === 'object' || schema.properties !== undefined) return membersOf(schema);
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return false;
  if (type === 'array') return [schema.items === undefined ? 'a' : valueOf(schema.items, name)];
  return schema.format?.startsWith('date') || /date|start|since|^end/i.test(name)
    ? date
    : (schema.examples?.[0] ?? 'a');
}

const membersOf = ({ properties = {} }) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valueOf(schema, name)]));

const rows = [];
const needs = new Map();
const sums = { streams: 0, all: 0, whole: 0, sources: 0 };
const noted = (why) => needs.set(why, (needs.get(why) ?? 0) + 1);
for (const file of readdirSync(wheels).sort()) {
  const [, name, version] = /^airbyte_source_(.*?)-([^-]*)-.*\.whl$/.exec(file) ?? [];
  if (name === undefined) continue;
  let source;
  try {
    source = await readAirbyteManifest(join(wheels, file));
  } catch {
    // The source is a program in Python.
    continue;
  }
  sums.sources += 1;
  let made;
  try {
    for (date of DATES) {
      const config = membersOf(connectionSpecificationOf(source));
      const other = fromAirbyte(source.manifest, config, { schemas: source.schemas });
      if (made === undefined || other.streams.length > made.streams.length) made = other;
      if (other.leftOut.length === 0) break;
    }
  } catch (error) {
    noted(error.message);
    rows.push([name.replaceAll('_', '-'), version, '0', error.message]);
    continue;
  }
  const { streams, leftOut } = made;
  const all = streams.length + leftOut.length;
  sums.streams += streams.length;
  sums.all += all;
  sums.whole += leftOut.length === 0 && all > 0 ? 1 : 0;
  for (const { construct } of leftOut) noted(construct);
  const missing = [...new Set(leftOut.map(({ construct }) => construct))].sort();
  rows.push([name.replaceAll('_', '-'), version, `${streams.length} of ${all}`, missing.join(', ')]);
}
const cell = (text) => text.replaceAll('|', '\\|').replaceAll(/[{}<>]/g, ' ');
const table = (heads, lines) =>
  [heads, heads.map(() => '---'), ...lines]
    .map((line) => `| ${line.map((each) => cell(String(each))).join(' | ')} |`)
    .join('\n');
const most = [...needs].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, 20);
const day = new Date().toISOString().slice(0, 10);
writeFileSync(
  join(root, 'docs/airbyte-sources.md'),
  `# Published sources of Airbyte

<!-- Made by scripts/airbyte-sources.mjs. -->

[Headwater runs](airbyte.md) declarative sources of Airbyte by name, such as \`headwater run airbyte:square --config secrets.json --stream items\`. These ${sums.sources} had a manifest on ${day}. Of their ${sums.all} streams,
${sums.streams} translate; of ${sums.whole} sources all streams do. The check translates each with a configuration that is made of its specification; it requests nothing, so that a stream may need another choice in its own
configuration. "Custom…" is a part in Python, which Headwater does not run.

## What the others need

${table(['construct', 'streams'], most)}

## Sources

${table(['source', 'version', 'streams', 'missing'], rows)}
`,
);
console.log(sums, Object.fromEntries(most));
