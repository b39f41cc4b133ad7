/** The keys of entries of mappings (docs/language/mappings.md#a-mapping), and the schema of a whole mapping. */
import { columnType } from '../jobs/column-types';
import { COMMENTS } from '../../codec/comments';
import { withSchema } from '../../codec/codec';
import { flag, object, oneOf, text } from '../../codec/primitives';
import { always, fieldsSchema, optional, record, required } from '../../codec/record';
import { blank, named, tolerant, type Schema } from '../../codec/schema';

const delimiter = optional(text, {
  about: 'What separates the keys of the path of this entry.',
  example: '/',
  default: '`.`',
});

/** What becomes of a value. */
export const entryType = oneOf('MappingType', ['column', 'user', 'date', 'table']);

const target = record('MappingTarget', {
  destination: required(text, 'the name of the column', { about: 'The name of the column.', example: 'ship_id' }),
  primaryKey: always(flag(false), {
    about: 'Whether the column belongs to the primary key of the table.',
    example: true,
  }),
  type: optional(columnType, {
    about: 'The [type of the column](../extensions/column-types.md) in typed tables.',
    example: 'decimal(12,2)',
    default: 'as the values have it',
  }),
});

/** The keys of `mapping` inside an entry for a column. */
export const targetFields = target.fields;

/** The keys of an entry for a column. */
export const columnFields = {
  type: optional(entryType, {
    about:
      '`column`: the value at the path. `user`: the extra column of that name, such as `parent_id`. `date`: the value as a Unix timestamp.',
    example: 'date',
    default: 'column',
  }),
  mapping: required(target, 'an object with "destination"', {
    about: 'The column.',
    example: { destination: 'id', primaryKey: true },
  }),
  forceType: always(flag(false), { about: 'Whether an array or an object is written as JSON text.', example: true }),
  delimiter,
};

const parentKey = record('ParentKey', {
  destination: optional(text, {
    about: 'The column of the child table that has the key of the parent.',
    example: 'ship',
    default: 'the name of the parent table and `_pk`',
  }),
  primaryKey: always(flag(false), {
    about: 'Whether that column belongs to the primary key of the child table.',
    example: true,
  }),
  disable: always(flag(false), { about: 'Whether neither table gets a column that links them.', example: true }),
});

/** The keys of `parentKey`. */
export const parentKeyFields = parentKey.fields;

/** The keys of an entry for a child table. */
export const tableFields = {
  type: required(
    withSchema(entryType, () => ({ const: 'table' })),
    'table',
    {
      about: '`table`: an element of the array at the path is a row of a child table.',
      example: 'table',
    },
  ),
  destination: required(text, 'the name of the child table', {
    about: 'The name of the child table.',
    example: 'crew',
  }),
  tableMapping: always(
    withSchema(object, () => tolerant(mappingSchema, blank)),
    {
      about: 'The mapping of the elements. It is required, except where `destination` is the table itself.',
      example: { '.': 'name' },
    },
  ),
  parentKey: optional(
    withSchema(parentKey, (inner) => tolerant(inner(), {})),
    { about: 'The column that links both tables.', example: { destination: 'ship' } },
  ),
  delimiter,
};

/** A mapping: an entry for each path in an item. */
const mappingSchema: Schema = named('mapping', () => ({
  type: ['object', 'array'],
  additionalProperties: entrySchema,
  items: entrySchema,
  not: blank,
}));

const HAS_COLUMNS: Schema = {
  type: 'object',
  properties: { tableMapping: { not: blank } },
  required: ['tableMapping'],
};
/** Elements of the table's own kind need no mapping of their own. */
const IS_SELF: Schema = {
  type: 'object',
  properties: { parentKey: { type: 'object', required: ['disable'] } },
  required: ['parentKey'],
};

const entrySchema: Schema = named('mappingEntry', () => {
  const isTable: Schema = { type: 'object', properties: { type: { const: 'table' } }, required: ['type'] };
  return {
    anyOf: [
      { type: 'string', minLength: 1 },
      { title: 'MappedColumn', ...fieldsSchema(columnFields), not: isTable },
      { title: 'MappedTable', ...fieldsSchema(tableFields), allOf: [{ anyOf: [HAS_COLUMNS, IS_SELF] }] },
    ],
  };
});

/** An array of objects that a mapping may hold is read by its indexes. */
export const mappingsObject = withSchema(object, () =>
  tolerant(
    { type: 'object', additionalProperties: mappingSchema, ...COMMENTS },
    { type: 'array', items: mappingSchema },
    blank,
  ),
);
