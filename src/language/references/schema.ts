import { type Schema, type SchemaDocument } from '../codec/schema';
import { branchesOf, isValuePlace, REFERENCE_REF } from './places';

const SECRET: Schema = {
  type: 'boolean',
  description: 'Whether the value must never be printed. Default: true.',
  examples: [false],
};
const of = (source: string, description: string, example: string): Schema => ({
  type: 'object',
  properties: { [source]: { type: 'string', minLength: 1, description, examples: [example] }, secret: SECRET },
  required: [source],
});

/** What stands for a value that is written elsewhere (docs/language/secrets.md). */
const REFERENCE: Schema = {
  description: 'A value from outside of the configuration, which is never printed.',
  anyOf: [
    of('env', 'The name of an environment variable.', 'TOKEN'),
    of('file', 'The path of a file whose text is the value, without the line break at its end.', '/run/secrets/token'),
  ],
};

/** The schema of configurations with references wherever one value may stand. */
export function withReferences(document: SchemaDocument): SchemaDocument {
  const { $defs } = document;
  const place = (schema: Schema): Schema => {
    const branches = branchesOf(schema, $defs);
    const isOpen = branches.some(
      (branch) => Object.keys(branch).every((key) => ANNOTATIONS.has(key)) || isExpression(branch),
    );
    const inner = inside(schema);
    return isValuePlace(branches) && !isOpen ? orReference(inner) : inner;
  };
  const inside = (schema: Schema): Schema => {
    const { anyOf, allOf, items, properties, additionalProperties } = schema;
    return {
      ...schema,
      ...(anyOf === undefined ? {} : { anyOf: anyOf.map(inside) }),
      ...(allOf === undefined ? {} : { allOf: allOf.map(inside) }),
      ...(items === undefined ? {} : { items: place(items) }),
      ...(properties === undefined ? {} : { properties: mapped(properties, place) }),
      ...(additionalProperties === undefined ? {} : { additionalProperties: place(additionalProperties) }),
    };
  };
  const { expression, ...others } = mapped($defs, inside);
  const defined = {
    ...others,
    ...(expression === undefined ? {} : { expression: orReference(expression) }),
    reference: REFERENCE,
  };
  const sorted = Object.entries(defined).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...document, $defs: Object.fromEntries(sorted) };
}

const ANNOTATIONS: ReadonlySet<string> = new Set(['description', 'examples', 'default', 'title', 'deprecated']);
const isExpression = ({ $ref }: Schema): boolean => $ref === '#/$defs/expression';

const mapped = (
  schemas: Readonly<Record<string, Schema>>,
  change: (schema: Schema) => Schema,
): Readonly<Record<string, Schema>> =>
  Object.fromEntries(Object.entries(schemas).map(([key, schema]) => [key, change(schema)]));

/** What is said of a place stays outside of the choice. */
function orReference({ description, examples, default: byDefault, not, deprecated, title, ...value }: Schema): Schema {
  const { anyOf, ...others } = value;
  const choices = anyOf !== undefined && Object.keys(others).length === 0 ? anyOf : [value];
  return {
    ...(title === undefined ? {} : { title }),
    anyOf: [...choices, { $ref: REFERENCE_REF }],
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { examples }),
    ...(byDefault === undefined ? {} : { default: byDefault }),
    ...(not === undefined ? {} : { not }),
    ...(deprecated === undefined ? {} : { deprecated }),
  };
}
