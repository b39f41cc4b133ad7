/** The JSON Schema of configurations, generated from the codecs that read them. */
import { codec, expected } from '../codec/codec';
import { string } from '../codec/primitives';
import { fieldsSchema, optional, propertiesSchema, type Fields } from '../codec/record';
import { blank, EXPRESSION, named, schemaDocument, tolerant, type Schema, type SchemaDocument } from '../codec/schema';
import { apiFields } from './api/api';
import type { Parts } from '../parts/parts';
import { withReferences } from '../references/schema';
import { rootFields } from './root';
import { settingsFields } from './settings';

/**
 * Returns the JSON Schema (draft 2020-12) of a whole configuration, with descriptions, defaults and examples.
 * Everything that it refuses is also refused when the configuration is read. Unknown keys are not refused, because user
 * attributes may have any name.
 *
 * @param parts the parts that the configuration may name; by default those of Headwater itself
 * @example fs.writeFileSync('headwater.schema.json', JSON.stringify(configurationSchema()));
 */
export function configurationSchema(parts: Parts): SchemaDocument {
  const { authorization, action, image_parameters } = rootFields;
  const host: Fields = { authorization, action, image_parameters, $schema, extends: extended };
  const parameters: Schema = {
    type: 'object',
    properties: { ...propertiesSchema({ $schema }), ...sectionsSchema(parts) },
    required: ['api', 'config'],
  };
  const bare: Schema = {
    ...parameters,
    properties: { ...parameters.properties, ...propertiesSchema(host) },
    not: { type: 'object', required: ['parameters'] },
  };
  const wrapped: Schema = {
    type: 'object',
    properties: { parameters: { ...named('parameters', () => parameters), ...PARAMETERS }, ...propertiesSchema(host) },
    required: ['parameters'],
  };
  // Required keys may be in another file.
  const extending: Schema = {
    type: 'object',
    properties: propertiesSchema({ extends: extended }),
    required: ['extends'],
  };
  const document = schemaDocument(
    { anyOf: [named('bare', () => bare), named('wrapped', () => wrapped), named('extending', () => extending)] },
    { title: 'Headwater configuration', description: 'Names an API, and what to extract from it.' },
    { expression: expression([...parts.function.keys()]) },
  );
  return withReferences(document);
}

/** Returns the schemas of the sections of a configuration. */
export function sectionsSchema(parts: Parts): Readonly<Record<string, Schema>> {
  const { jobs, ...settings } = settingsFields({ parts, scrollers: undefined, requiredHeaders: [] });
  const { api, config, iterations, sshProxy, aws, cache } = rootFields;
  const keys = apiFields({ parts, document: {}, config: {} });
  const iteration = named('iteration', () =>
    withAttributes(fieldsSchema({ jobs: optional(jobs.codec, jobs.doc), ...settings })),
  );
  return {
    api: { ...named('api', () => fieldsSchema(keys)), ...about(api) },
    config: { ...named('config', () => withAttributes(fieldsSchema({ jobs, ...settings }))), ...about(config) },
    iterations: { ...tolerant({ type: 'array', items: iteration }, blank), ...about(iterations) },
    ...propertiesSchema({ sshProxy, aws, cache }),
  };
}

const about = ({ doc }: Fields[string]): Schema =>
  doc === undefined ? {} : { description: doc.about, examples: [doc.example] };

/** Allows other keys: they are attributes, for expressions to read. */
const withAttributes = (schema: Schema): Schema =>
  schema.anyOf === undefined
    ? { ...schema, additionalProperties: {} }
    : { ...schema, anyOf: schema.anyOf.map((branch, at) => (at === 0 ? withAttributes(branch) : branch)) };

const PARAMETERS: Schema = {
  description: 'What stands in the root of the bare form.',
  examples: [{ api: { baseUrl: 'https://api.example.com' }, config: { jobs: [{ endpoint: 'ships' }] } }],
};

const $schema = optional(string, {
  about: 'The address of this schema, for editors.',
  example: 'headwater.schema.json',
});

const extended = optional(
  codec<string | readonly string[]>(
    'Extends',
    () => ({ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }),
    (input, context) => expected('a file that is read by readConfiguration', input, context),
  ),
  { about: 'Files that this one is laid upon: their paths from here.', example: './base.yaml' },
);

/** Returns the schema of an expression: a literal, a reference, or a function of the registry. */
const expression = (names: readonly string[]): Schema => ({
  description: 'A value, or an expression that gives one.',
  anyOf: [
    { type: ['string', 'number', 'boolean', 'null', 'array'] },
    {
      title: 'Attribute',
      type: 'object',
      properties: { attr: { type: 'string', description: 'The path of an attribute of `config`.' } },
      required: ['attr'],
    },
    {
      title: 'TimeOfRun',
      type: 'object',
      properties: {
        time: { enum: ['currentStart', 'previousStart'], description: 'When this run, or the last one, started.' },
      },
      required: ['time'],
    },
    {
      title: 'FunctionCall',
      type: 'object',
      properties: {
        function: { enum: names, description: 'The name of the function.' },
        args: {
          type: ['array', 'object'],
          items: EXPRESSION,
          additionalProperties: EXPRESSION,
          description: 'Its arguments, which may be expressions.',
        },
      },
      required: ['function'],
    },
    {
      title: 'JinjaTemplate',
      type: 'object',
      properties: {
        jinja: { type: 'string', description: 'A template of Jinja, with the values of Python.' },
        with: {
          type: 'object',
          additionalProperties: EXPRESSION,
          description: 'The values of the names in it, which may be expressions.',
        },
        as: { enum: ['value', 'text'], description: 'Whether a text such as `1` or `True` becomes a value.' },
      },
      required: ['jinja'],
    },
    { type: 'object', not: { type: 'object', required: ['function'] }, deprecated: true },
  ],
});
