/** Each key and each part of the language stands on a page of the manual. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from '../../src/language/codec/schema';
import { BUILT_IN } from '../../src/run/built-in-parts';
import { configurationSchema } from '../support/language';
import * as sinks from '../../src/sinks/registry';
import { ROOT } from '../support/build';

const pages = readdirSync(join(ROOT, 'docs/language'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => readFileSync(join(ROOT, 'docs/language', name), 'utf8'))
  .join('\n');
/** Everything that stands between backticks, and the keys of examples. */
const named = new Set([
  ...Array.from(pages.matchAll(/`([^`\n]+)`/g), ([, text = '']) => text),
  ...Array.from(pages.matchAll(/"([^"\n]+)":/g), ([, text = '']) => text),
]);

/** The keys of a schema, those of objects inside it included. */
const keysOf = (schema: Schema): readonly string[] => [
  ...Object.keys(schema.properties ?? {}),
  ...[
    ...Object.values(schema.properties ?? {}),
    ...(schema.anyOf ?? []),
    ...(schema.items === undefined ? [] : [schema.items]),
    ...(schema.additionalProperties === undefined ? [] : [schema.additionalProperties]),
  ].flatMap(keysOf),
];
const keys = [...new Set(Object.values(configurationSchema().$defs).flatMap(keysOf))].sort();

describe('the manual names', () => {
  it.each(keys)('the key %s', (key) => {
    expect(keys.length).toBeGreaterThan(120);
    expect(named.has(key)).toBe(true);
  });

  it.each([
    ...[...BUILT_IN.function.keys()].map((name) => ['function', name, `## ${name}\n`] as const),
    ...[...BUILT_IN.pagination.keys()].map((name) => ['pagination method', name, `# \`${name}\`\n`] as const),
    ...[...BUILT_IN.authentication.keys()].map((name) => ['authentication', name, `# \`${name}\`\n`] as const),
    ...[...BUILT_IN.format.keys()].map((name) => ['format', name, `# \`${name}\`\n`] as const),
    ...Object.values(sinks).map(({ name }) => ['sink', name, `# \`${name}\`\n`] as const),
  ])('the %s %s, by a heading', (_, __, heading) => {
    expect(pages).toContain(heading);
  });
});
