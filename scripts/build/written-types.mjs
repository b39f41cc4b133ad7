/**
 * Writes dist/written.d.ts: the types of what a person writes, made from schema/headwater.schema.json. Sources import them as `#written`
 * (`paths` in tsconfig.json), and the declarations beside it by its path.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** What the module is called in the sources. */
export const WRITTEN = '#written';

export function writeWrittenTypes(root) {
  const schema = JSON.parse(readFileSync(join(root, 'schema', 'headwater.schema.json'), 'utf8'));
  const file = ts.createSourceFile('written.d.ts', writtenTypes(schema), ts.ScriptTarget.Latest);
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(join(root, 'dist', 'written.d.ts'), ts.createPrinter().printFile(file));
}

/** What people write for tolerance alone: no type says it. */
const SKIPPED = new Set(['blank', 'blankButList', 'empty']);

/** The text of a module with a type for each definition, and `Configuration`. */
function writtenTypes({ $defs, ...root }) {
  const kinds = Object.entries(partNames($defs)).map(
    ([kind, all]) => `readonly ${kind}: ${all.map(quoted).join(' | ')};`,
  );
  const definitions = Object.entries($defs).filter(([name]) => !SKIPPED.has(name));
  return [
    '/** What a person writes, as types; made from the JSON Schema by the build. */',
    declaration('Configuration', root),
    '/** The names of the parts of Headwater, by kind. A registry that lacks one of them does not compile. */',
    `export interface PartNames {\n${kinds.join('\n')}\n}`,
    ...definitions.map(([name, schema]) => declaration(typeName(name), schema)),
  ].join('\n');
}

/** The names of all parts, by kind. */
function partNames($defs) {
  const named = (kind) =>
    Object.keys($defs).flatMap((name) => (name.startsWith(`${kind}.`) ? [name.slice(kind.length + 1)] : []));
  const call = $defs.expression.anyOf.find(({ title }) => title === 'FunctionCall');
  return {
    authentication: named('authentication'),
    format: named('format'),
    function: call.properties.function.anyOf.flatMap((branch) => branch.enum ?? []),
    // `multiple` chooses among methods, and is none.
    pagination: named('pagination').filter((name) => name !== 'multiple'),
    sink: named('sink'),
  };
}

const quoted = (text) => JSON.stringify(text);

/** The name of a definition as that of a type: `pagination.response.url` becomes `PaginationResponseUrl`. */
const typeName = (name) => name.replace(/(?:^|[^A-Za-z0-9])([A-Za-z0-9])/g, (_, letter) => letter.toUpperCase());

const comment = ({ description }) => (description === undefined ? '' : `/** ${description} */\n`);

function declaration(name, schema) {
  const type = typeOf(schema);
  const isInterface = type.startsWith('{') && type.endsWith('}') && branchesOf(schema).length === 1;
  return `${comment(schema)}export ${isInterface ? `interface ${name} ${type}` : `type ${name} = ${type};`}`;
}

/** How a person should write a value: what is taken for tolerance alone is left out. */
const branchesOf = (schema) =>
  schema.anyOf === undefined || schema.properties !== undefined
    ? [schema]
    : schema.anyOf.filter(({ deprecated }) => deprecated !== true).flatMap(branchesOf);

const typeOf = (schema) => [...new Set(branchesOf(schema).map(single))].join(' | ');

function single(schema) {
  const { $ref, type, const: constant, enum: words, items } = schema;
  if ($ref !== undefined) return typeName($ref.replace('#/$defs/', ''));
  if (constant !== undefined) return quoted(constant);
  if (words !== undefined) return words.map(quoted).join(' | ');
  if (type === undefined) return 'unknown';
  if (typeof type !== 'string') return type.map((each) => single({ ...schema, type: each })).join(' | ');
  if (type === 'object') return objectType(schema);
  if (type === 'array') return `readonly ${items === undefined ? 'unknown' : `(${typeOf(items)})`}[]`;
  return type === 'integer' ? 'number' : type;
}

function objectType({ properties, required = [], additionalProperties }) {
  const others = additionalProperties === undefined ? 'unknown' : typeOf(additionalProperties);
  if (properties === undefined) return `{ readonly [key: string]: ${others} }`;
  const members = Object.entries(properties).map(
    ([key, schema]) =>
      `${comment(schema)}readonly ${/^[A-Za-z_$]\w*$/.test(key) ? key : quoted(key)}${required.includes(key) ? '' : '?'}: ${typeOf(schema)};`,
  );
  const open = additionalProperties === undefined ? [] : [`readonly [key: string]: ${others};`];
  return `{\n${[...members, ...open].join('\n')}\n}`;
}
