import * as t from 'io-ts';
import { isBlank } from '../../../core/json/blank';
import { entriesOf } from '../../../core/json/keys';
import type { Json, JsonObject } from '../../../core/model';
import { expected, noting, refine, refuse, type Codec, type Input } from '../../codec/codec';
import { withoutComments } from '../../codec/comments';
import { entryType, mappingsObject } from './fields';
import { columnType } from '../jobs/column-types';
import { mappingNotes } from './keys';
import { asObject, object, text, valueOf } from '../../codec/primitives';

const under = (context: t.Context, key: string, value: Input): t.Context =>
  t.appendContext(context, key, object, value);

const faultsIn = (result: t.Validation<unknown>): t.Errors => (result._tag === 'Left' ? result.left : []);

/**
 * `config.mappings` (docs/language/mappings.md#a-mapping): the shape is checked, the content stays as it is written.
 */
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

/** The entry of a child table where a mapping is meant: as columns, its keys would give a fault each. */
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
