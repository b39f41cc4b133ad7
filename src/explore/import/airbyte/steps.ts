/** Filters and transformations of Airbyte as steps of a job. */
import { isList, isObject, ownValue } from '../../../core/json/objects';
import type { Json, JsonObject } from '../../../core/model';
import { isJinja } from '../../../language/jinja/jinja';
import { nameOf, textAt, together } from './manifest';
import type { Component } from './manifest';
import { Untranslatable } from './values';
import type { Values } from './values';

/** Returns the steps of a stream: its filter, and then its transformations. */
export function stepsOf(stream: Component, selector: Component, values: Values): JsonObject {
  const filter = ownValue(selector, 'record_filter');
  const kept = isObject(filter) ? [keptBy(filter, values)] : [];
  const written = ownValue(stream, 'transformations');
  const changes = isList(written) ? written.filter(isObject).flatMap((each) => changesOf(each, values)) : [];
  const cursor = ownValue(stream, 'incremental_sync');
  const isFiltered = isObject(cursor) && ownValue(cursor, 'is_client_side_incremental') === true;
  const isLate = (ownValue(selector, 'transform_before_filtering') ?? isFiltered) === true;
  const normalization = ownValue(selector, 'schema_normalization');
  if (isObject(normalization)) throw new Untranslatable('schema_normalization of its own');
  const schema = schemaOf(stream, values);
  const casts = normalization === 'Default' && schema !== undefined ? [{ cast: schema }] : [];
  const steps = [...(isLate ? [...changes, ...kept] : [...kept, ...changes]), ...casts];
  return steps.length === 0 ? {} : { steps };
}

/** Returns the schema of a stream, if the manifest has it or it lies beside it; without one nothing is cast, as in the CDK. */
export function schemaOf(stream: Component, values: Values): Json | undefined {
  const [loader = null] = [ownValue(stream, 'schema_loader') ?? null].flat();
  if (!isObject(loader)) return undefined;
  if (ownValue(loader, 'type') !== 'JsonFileSchemaLoader') return ownValue(loader, 'schema');
  const path = values.text(ownValue(loader, 'file_path'), loader) || `schemas/${nameOf(stream)}.json`;
  return values.schemas.get(/schemas\/[^/]+$/.exec(path)?.[0] ?? path);
}

function keptBy(filter: Component, values: Values): JsonObject {
  const type = textAt(filter, 'type', 'RecordFilter');
  if (type !== 'RecordFilter') throw new Untranslatable(type);
  const condition = ownValue(filter, 'condition');
  return { keep: typeof condition === 'string' ? values.atRun(condition, filter, 'value', ['record']) : true };
}

function changesOf(change: Component, values: Values): readonly JsonObject[] {
  const condition = ownValue(change, 'condition');
  const only =
    typeof condition === 'string' && condition !== ''
      ? { if: values.atRun(condition, change, 'value', ['record']) }
      : {};
  const type = textAt(change, 'type');
  switch (type) {
    case 'AddFields': {
      const fields = ownValue(change, 'fields');
      return (isList(fields) ? fields.filter(isObject) : []).map((field) => ({
        set: keysOf(ownValue(field, 'path'), field, values),
        value: valueOf(field, change, values),
        ...only,
      }));
    }
    case 'RemoveFields': {
      if ('if' in only) throw new Untranslatable('RemoveFields.condition');
      const pointers = ownValue(change, 'field_pointers');
      return (isList(pointers) ? pointers : []).map((pointer) => ({ remove: keysOf(pointer, change, values) }));
    }
    case 'KeysToLower':
      return [{ keys: 'lower' }];
    case 'DpathFlattenFields': {
      const names = ownValue(change, 'key_transformation');
      const affix = (name: string): JsonObject => {
        const text = isObject(names) ? values.text(ownValue(names, name), names) : '';
        return text === '' ? {} : { [name]: text };
      };
      return [
        {
          flatten: together(
            {
              path: keysOf(ownValue(change, 'field_path'), change, values),
              delete: ownValue(change, 'delete_origin_value') === true,
              replace: ownValue(change, 'replace_record') === true,
            },
            affix('prefix'),
            affix('suffix'),
          ),
        },
      ];
    }
    default:
      throw new Untranslatable(type);
  }
}

const keysOf = (path: Json | undefined, component: Component, values: Values): readonly string[] =>
  isList(path) ? path.map((key) => values.text(key, component)) : [];

/** Returns the value of an added field; with the type `string` it is the text as it is rendered. */
function valueOf(field: Component, change: Component, values: Values): Json {
  const written = ownValue(field, 'value') ?? null;
  const as = ownValue(field, 'value_type') === 'string' ? 'text' : 'value';
  if (typeof written !== 'string') return written;
  if (!isJinja(written)) return as === 'text' ? written : values.constant(written, change, '');
  return values.atRun(written, change, as, ['record']);
}
