/** The TypeScript types of what a person writes, made from the JSON Schema. */
import type { Schema, SchemaDocument } from '../../src/language/codec/schema';

/** The text of a module with a type for each definition, and `Configuration`. */
export function writtenTypes(
  { $defs, ...root }: SchemaDocument,
  names: Readonly<Record<string, readonly string[]>>,
): string {
  const skipped = ['blank', 'blankButList', 'empty'];
  const definitions = Object.entries($defs)
    .filter(([name]) => !skipped.includes(name))
    .map(([name, schema]) => declaration(typeName(name), schema));
  const head = '/** What a person writes, as types; made from the definitions by `npm run docs`. */\n';
  const kinds = Object.entries(names).map(
    ([kind, all]) => `readonly ${kind}: ${all.map((name) => JSON.stringify(name)).join(' | ')};\n`,
  );
  const ofParts = `/** The names of the parts of Headwater, by kind. A registry that lacks one of them does not compile. */\nexport interface PartNames {\n${kinds.join('')}}\n`;
  return [head, declaration('Configuration', root), ofParts, ...definitions].join('\n');
}

/** The name of a definition as that of a type: `pagination.response.url` becomes `PaginationResponseUrl`. */
const typeName = (name: string): string =>
  name.replace(/(?:^|[^A-Za-z0-9])([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const comment = ({ description }: Schema): string => (description === undefined ? '' : `/** ${description} */\n`);

const declaration = (name: string, schema: Schema): string => {
  const type = typeOf(schema);
  const isInterface = type.startsWith('{') && type.endsWith('}') && branchesOf(schema).length === 1;
  return `${comment(schema)}export ${isInterface ? `interface ${name} ${type}` : `type ${name} = ${type};`}\n`;
};

/** How a person should write a value: what is taken for tolerance alone is left out. */
const branchesOf = (schema: Schema): readonly Schema[] =>
  schema.anyOf === undefined || schema.properties !== undefined
    ? [schema]
    : schema.anyOf.filter(({ deprecated }) => deprecated !== true).flatMap(branchesOf);

function typeOf(schema: Schema): string {
  return [...new Set(branchesOf(schema).map(single))].join(' | ');
}

function single(schema: Schema): string {
  const { $ref, type, const: constant, enum: words, items } = schema;
  if ($ref !== undefined) return typeName($ref.replace('#/$defs/', ''));
  if (constant !== undefined) return JSON.stringify(constant);
  if (words !== undefined) return words.map((word) => JSON.stringify(word)).join(' | ');
  if (type === undefined) return 'unknown';
  if (typeof type !== 'string') return type.map((each) => single({ ...schema, type: each })).join(' | ');
  if (type === 'object') return objectType(schema);
  if (type === 'array') return `readonly ${items === undefined ? 'unknown' : `(${typeOf(items)})`}[]`;
  return type === 'integer' ? 'number' : type;
}

function objectType({ properties, required = [], additionalProperties }: Schema): string {
  if (properties === undefined)
    return `{ readonly [key: string]: ${additionalProperties === undefined ? 'unknown' : typeOf(additionalProperties)} }`;
  const members = Object.entries(properties).map(
    ([key, schema]) =>
      `${comment(schema)}readonly ${JSON.stringify(key)}${required.includes(key) ? '' : '?'}: ${typeOf(schema)};\n`,
  );
  const others = additionalProperties === undefined ? '' : `readonly [key: string]: ${typeOf(additionalProperties)};\n`;
  return `{\n${members.join('')}${others}}`;
}
