/** The keys of entries of mappings (docs/language/mappings.md#a-mapping), and the schema of a whole mapping. */
import * as t from 'io-ts';
import { entriesOf } from '../../core/json/objects';
import { withoutBrackets } from '../../core/json/path';
import { isBlank } from '../../core/json/scalars';
import type { Json, JsonObject } from '../../core/model';
import { expected, noting, refine, refuse, withSchema } from '../codec/codec';
import type { Codec, Input, Notes } from '../codec/codec';
import type { Finding, Path } from '../codec/finding';
import { asObject, flag, object, oneOf, text, valueOf } from '../codec/primitives';
import { always, fieldsSchema, optional, record, required } from '../codec/record';
import { COMMENTS, ignored, unknownKey, withoutComments } from '../codec/unknown-key';
import { blank, named, tolerant } from '../codec/schema';
import type { Schema } from '../codec/schema';
import { bracketsNote } from '../codec/values';
import { columnType } from './jobs/table';

const delimiter = optional(text, {
  about: 'The delimiter of the path.',
  example: '/',
  default: '`.`',
});

/** The kind of an entry. */
const entryType = oneOf('MappingType', ['column', 'user', 'date', 'table']);

const target = record('MappingTarget', {
  destination: required(text, 'the name of the column', { about: 'The name of the column.', example: 'ship_id' }),
  primaryKey: always(flag(false), {
    about: 'Part of the primary key.',
    example: true,
  }),
  type: optional(columnType, {
    about: 'The [type of the column](../sinks.md#types-of-columns) in typed tables.',
    example: 'decimal(12,2)',
    default: 'that of the values',
  }),
});

/** The keys of `mapping` inside an entry for a column. */
const targetFields = target.fields;

/** The keys of an entry for a column. */
const columnFields = {
  type: optional(entryType, {
    about: 'The type of the entry.',
    example: 'date',
    default: '`column`',
  }),
  mapping: required(target, 'an object with "destination"', {
    about: 'The column.',
    example: { destination: 'id', primaryKey: true },
  }),
  forceType: always(flag(false), { about: 'Stores an array or an object as JSON.', example: true }),
  delimiter,
};

const parentKey = record('ParentKey', {
  destination: optional(text, {
    about: 'The column of the child table.',
    example: 'ship',
    default: 'the parent table and `_pk`',
  }),
  primaryKey: always(flag(false), {
    about: 'Part of the primary key of the child table.',
    example: true,
  }),
  disable: always(flag(false), { about: 'No columns link the tables.', example: true }),
});

/** The keys of `parentKey`. */
const parentKeyFields = parentKey.fields;

/** The keys of an entry for a child table. */
const tableFields = {
  type: required(
    withSchema(entryType, () => ({ const: 'table' })),
    'table',
    {
      about: 'Each element at the path is a row of a child table.',
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
      about: 'The mapping of the elements; not required for the same table.',
      example: { '.': 'name' },
    },
  ),
  parentKey: optional(
    withSchema(parentKey, (inner) => tolerant(inner(), {})),
    { about: 'The link between the tables.', example: { destination: 'ship' } },
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
/** The schema of a mapping of the table's own kind: its elements need no mapping. */
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

/** Returns the schema of mappings. An array of objects is allowed and is read by its indexes. */
const mappingsObject = withSchema(object, () =>
  tolerant(
    { type: 'object', additionalProperties: mappingSchema, ...COMMENTS },
    { type: 'array', items: mappingSchema },
    blank,
  ),
);

const COLUMN = Object.keys(columnFields);
const TABLE = Object.keys(tableFields);

const ofColumn = unknownKey({
  primaryKey: 'write it inside "mapping"',
  destination: 'write it inside "mapping"',
  tableMapping: 'it is for entries of type "table"',
});
const ofTable = unknownKey({ mapping: 'the columns of a child table are written as "tableMapping"' });
const ofNames = unknownKey();

/**
 * Finds mistaken keys in entries of `config.mappings` (docs/language/mappings.md#a-mapping). The keys of a mapping
 * itself are paths in an item, and authors leave notes in entries: neither is checked.
 */
const mappingNotes: Notes = (mappings, path) =>
  entriesOf(withoutComments(asObject(mappings) ?? {})).flatMap(([dataType, mapping]) =>
    notesOfColumns(mapping, [...path, dataType]),
  );

const notesOfColumns: Notes = (mapping, path) =>
  // An entry for a child table in the place of a mapping is refused as a whole.
  valueOf(mapping, 'type') === 'table'
    ? []
    : entriesOf(asObject(mapping) ?? {}).flatMap(([source, entry]) => [
        ...notesOfPath(source, entry, [...path, source]),
        ...notesOfEntry(entry, [...path, source]),
      ]);

/** Warns of a position in brackets: it is part of a key, so its column would silently stay empty. */
function notesOfPath(source: string, entry: Input, path: Path): readonly Finding[] {
  const delimiter = valueOf(entry, 'delimiter');
  const meant = source.includes('[*]')
    ? undefined
    : withoutBrackets(source, typeof delimiter === 'string' && delimiter !== '' ? delimiter : '.');
  return meant === undefined ? [] : [{ path, ...ignored(bracketsNote(source, meant)) }];
}

function notesOfEntry(entry: Input, path: Path): readonly Finding[] {
  if (valueOf(entry, 'type') !== 'table')
    return [...unknownIn(entry, path, COLUMN, ofColumn), ...namesIn(entry, path, 'mapping', Object.keys(targetFields))];
  return [
    ...unknownIn(entry, path, TABLE, ofTable),
    ...namesIn(entry, path, 'parentKey', Object.keys(parentKeyFields)),
    ...notesOfColumns(valueOf(entry, 'tableMapping'), [...path, 'tableMapping']),
  ];
}

const namesIn = (entry: Input, path: Path, key: string, names: readonly string[]): readonly Finding[] =>
  unknownIn(valueOf(entry, key), [...path, key], names, ofNames);

const unknownIn = (written: Input, path: Path, names: readonly string[], policy: typeof ofNames): readonly Finding[] =>
  entriesOf(asObject(written) ?? {}).flatMap(([key, value]) => {
    const complaint = names.includes(key) || isBlank(value) ? undefined : policy(key, value, names);
    return complaint?.code === undefined ? [] : [{ path: [...path, key], ...complaint }];
  });

const under = (context: t.Context, key: string, value: Input): t.Context =>
  t.appendContext(context, key, object, value);

const faultsIn = (result: t.Validation<unknown>): t.Errors => (result._tag === 'Left' ? result.left : []);

/** `config.mappings` (docs/language/mappings.md#a-mapping): the shape is checked, the content stays as written. */
export const mappings: Codec<JsonObject> = noting(
  refine('Mappings', mappingsObject, (all, context) => {
    const written = withoutComments(all);
    const errors = entriesOf(written).flatMap(([dataType, mapping]) => {
      const place = under(context, dataType, mapping);
      return isBlank(mapping)
        ? faultsIn(refuse(mapping, place, 'required: at least one column'))
        : faultsOfMapping(mapping, place, dataType);
    });
    return errors.length > 0 ? t.failures(errors) : t.success(written);
  }),
  mappingNotes,
);

/** @param table the name of the table that the mapping fills */
function faultsOfMapping(mapping: Input, context: t.Context, table: string): t.Errors {
  const entries = asObject(mapping);
  if (entries === undefined) return faultsIn(expected('an object of columns', mapping, context));
  const faults = entriesOf(entries).flatMap(([path, entry]) =>
    faultsOfEntry(entry, under(context, path, entry), table),
  );
  return faults.length > 0 && valueOf(mapping, 'type') === 'table' ? faultsIn(misplaced(mapping, context)) : faults;
}

/** Refuses an entry for a child table in the place of a mapping: read as columns, each of its keys would be a fault. */
const misplaced = (entry: Input, context: t.Context): t.Validation<never> =>
  refuse(
    entry,
    context,
    'expected columns, found an entry of type "table": it belongs inside the mapping of the items that hold its list',
  );

function faultsOfEntry(entry: Json, context: t.Context, table: string): t.Errors {
  if (typeof entry === 'string' && entry !== '') return [];
  if (asObject(entry) === undefined || isBlank(entry))
    return faultsIn(expected('the name of a column, or an object with "mapping"', entry, context));
  const type = valueOf(entry, 'type');
  const wrongType = isBlank(type) ? [] : faultsIn(entryType.validate(type, under(context, 'type', type)));
  if (wrongType.length > 0) return wrongType;
  return type === 'table' ? faultsOfTable(entry, context, table) : faultsOfColumn(entry, context);
}

function faultsOfColumn(entry: Json, context: t.Context): t.Errors {
  const mapping = valueOf(entry, 'mapping');
  const place = under(context, 'mapping', mapping);
  if (asObject(mapping) === undefined) return faultsIn(expected('an object with "destination"', mapping, place));
  const type = valueOf(mapping, 'type');
  return [
    ...faultsOfName(valueOf(mapping, 'destination'), under(place, 'destination', undefined), 'the name of the column'),
    ...(isBlank(type) ? [] : faultsIn(columnType.validate(type, under(place, 'type', type)))),
  ];
}

function faultsOfTable(entry: Json, context: t.Context, table: string): t.Errors {
  const destination = valueOf(entry, 'destination');
  const wrongName = faultsOfName(
    destination,
    under(context, 'destination', destination),
    'the name of the child table',
  );
  const parentKey = valueOf(entry, 'parentKey');
  if (destination === table) return [...wrongName, ...faultsOfSelfForm(parentKey, context)];
  const tableMapping = valueOf(entry, 'tableMapping');
  const place = under(context, 'tableMapping', tableMapping);
  const inner = isBlank(tableMapping)
    ? faultsIn(refuse(tableMapping, place, 'required: the columns of the child table'))
    : faultsOfMapping(tableMapping, place, typeof destination === 'string' ? destination : '');
  return [...wrongName, ...inner];
}

const faultsOfName = (name: Input, context: t.Context, what: string): t.Errors =>
  faultsIn(isBlank(name) ? refuse(name, context, `required: ${what}`) : text.validate(name, context));

function faultsOfSelfForm(parentKey: Input, context: t.Context): t.Errors {
  if (!isBlank(valueOf(parentKey, 'disable'))) return [];
  const place = under(under(context, 'parentKey', parentKey), 'disable', undefined);
  return faultsIn(refuse(undefined, place, 'must be true: the destination is the table in which this entry stands'));
}
