/** A destination as a configuration or a command line names it: an address, and settings of its sink (docs/sinks.md#settings). */
import { accept, below, choose, codec, expected, refuse, withSchema, type Codec, type Input } from '../../codec/codec';
import { string } from '../../codec/primitives';
import { fieldsSchema, record, required } from '../../codec/record';
import { named, type Schema } from '../../codec/schema';
import { mistaken, unknownKey, type UnknownKeyPolicy } from '../../codec/unknown-key';
import { entriesOf, isObject, objectFrom, ownValue } from '../../../core/json/keys';
import type { JsonObject } from '../../../core/model';
import type { SinkAddress, SinkOutline } from '../../parts/sink';
import { findSink, type FoundSink } from './find-sink';
import type { WrittenDestination } from './written';

/** A destination that was read. */
export interface ReadDestination<S> {
  readonly written: WrittenDestination;
  readonly sink: S;
  readonly address: SinkAddress;
  /** Its settings, decoded. */
  readonly options: object;
}

/** The key of the address. */
const TO = 'to';

/**
 * Reads a destination.
 *
 * @param sinks those that there are; of several with the same scheme, the first one
 * @param defaults settings that count where the destination does not have them; those that a sink does not declare are ignored
 * @example readAt(destination([parquet]), { to: 'parquet:out', nested: 'json' }, ['config', 'sinks', '0'])
 */
export const destination = <S extends SinkOutline>(
  sinks: readonly S[],
  defaults: JsonObject = {},
): Codec<ReadDestination<S>> =>
  choose<ReadDestination<S>>(
    'Destination',
    () => schemaOfDestination(sinks),
    (input, context) => {
      const to = isObject(input) ? ownValue(input, TO) : input;
      const place = isObject(input) ? below(context, TO, to) : context;
      if (typeof to !== 'string' || to === '')
        return expected(isObject(input) ? 'an address' : 'an address, or an object with "to"', to, place);
      const found = findSink(to, sinks);
      return 'fault' in found ? refuse(to, place, found.fault) : accept(settingsOf(found, to, defaults));
    },
  );

/** Reads the settings of a destination whose sink is known: those of the query, and those of the object. */
function settingsOf<S extends SinkOutline>(
  { sink, address, settings }: FoundSink<S>,
  to: string,
  defaults: JsonObject,
): Codec<ReadDestination<S>> {
  const fields = sink.options ?? {};
  const names = Object.keys(fields);
  const options = record('Settings', fields, settingPolicy(sink.name));
  const general = entriesOf(defaults).filter(([name]) => names.includes(name));
  const withoutTo = (input: Input): JsonObject =>
    isObject(input) ? objectFrom(entriesOf(input).filter(([key]) => key !== TO)) : {};
  return codec<ReadDestination<S>>(
    'NamedDestination',
    options.schema,
    (input, context) => {
      const beside = withoutTo(input);
      for (const name of settings.keys()) {
        const complaint = settingPolicy(sink.name)(name, '', names);
        if (!names.includes(name))
          return refuse(
            to,
            context,
            `the setting ${JSON.stringify(name)} of the address ${complaint?.message ?? NO_EFFECT}`,
          );
        if (Object.hasOwn(beside, name))
          return refuse(to, below(context, name, null), 'is given in the address as well: write it once');
      }
      const all = objectFrom([...general, ...settings, ...entriesOf(beside)]);
      const read = options.validate(all, context);
      if (read._tag === 'Left') return read;
      return accept({ written: isNamed(input) ? input : to, sink, address, options: read.right });
    },
    (input, path) => options.notes(withoutTo(input), path),
  );
}

const isNamed = (input: Input): input is Exclude<WrittenDestination, string> =>
  isObject(input) && typeof ownValue(input, TO) === 'string';

const NO_EFFECT = 'has no effect';

/** A setting that a sink does not have is a mistake: what it was meant to do would not be done. */
const settingPolicy =
  (sink: string): UnknownKeyPolicy =>
  (key, value, names) => {
    const usual = unknownKey()(key, value, names);
    if (usual?.isUnknown !== true) return usual;
    const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
    return mistaken(`${NO_EFFECT}: ${sink} has no such setting; ${known}`);
  };

/** An address, or a branch a sink, told apart by the scheme in `to`. */
function schemaOfDestination(sinks: readonly SinkOutline[]): Schema {
  const branches = sinks.map(({ name, schemes, example, options = {} }): Schema => {
    const address = withSchema(string, () => ({ type: 'string', pattern: `^(${schemes.join('|')}):` }));
    const to = required(address, 'the address', { about: 'The address.', example });
    return named(`sink.${name}`, () => fieldsSchema({ [TO]: to, ...options }));
  });
  return { anyOf: [{ type: 'string', pattern: '^[A-Za-z][A-Za-z0-9+.-]*:' }, ...branches] };
}
