import { isBlank } from '../../../core/json/blank';
import { entriesOf } from '../../../core/json/keys';
import { withoutComments } from '../../codec/comments';
import type { Input, Notes } from '../../codec/codec';
import type { Finding, Path } from '../../codec/finding';
import { asObject, valueOf } from '../../codec/primitives';
import { columnFields, parentKeyFields, tableFields, targetFields } from './fields';
import { bracketsNote } from '../../codec/path';
import { ignored, unknownKey } from '../../codec/unknown-key';
import { withoutBrackets } from '../../../core/json/brackets';

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
 * Finds keys of entries of `config.mappings` (docs/language/mappings.md#a-mapping) that are mistakes. The keys of a mapping
 * itself are paths in an item, and editors leave notes of their own in entries: neither is judged.
 */
export const mappingNotes: Notes = (mappings, path) =>
  entriesOf(withoutComments(asObject(mappings) ?? {})).flatMap(([dataType, mapping]) =>
    notesOfColumns(mapping, [...path, dataType]),
  );

const notesOfColumns: Notes = (mapping, path) =>
  // The entry of a child table where a mapping is meant is refused as a whole.
  valueOf(mapping, 'type') === 'table'
    ? []
    : entriesOf(asObject(mapping) ?? {}).flatMap(([source, entry]) => [
        ...notesOfPath(source, entry, [...path, source]),
        ...notesOfEntry(entry, [...path, source]),
      ]);

/** A position in brackets is part of a key: its column would be empty, in silence. */
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
