/** Destinations: finds the sink for an address, and reads its settings (docs/sinks.md#settings). */
import { entriesOf, isObject, objectFrom, ownValue } from '../../core/json/objects';
import type { Json, JsonObject } from '../../core/model';
import { Secrets } from '../../core/secrets/secrets';
import { accept, below, choose, codec, expected, refuse, withSchema } from '../codec/codec';
import type { Codec, Input } from '../codec/codec';
import { string } from '../codec/primitives';
import { fieldsSchema, record, required } from '../codec/record';
import { mistaken, unknownKey } from '../codec/unknown-key';
import { named } from '../codec/schema';
import type { Schema } from '../codec/schema';
import type { UnknownKeyPolicy } from '../codec/unknown-key';
import { meantOrKnown } from '../codec/finding';
import type { SinkAddress, SinkOutline } from '../parts/sink';

/** A destination as written: an address, or an object with the address in `to` and the settings of its sink. */
export type WrittenDestination = string | { readonly to: string; readonly [setting: string]: Json };

/** Finds the sink for an address, and the settings in its query (docs/sinks.md#settings). */

/** A parsed address. */
export interface FoundSink<S> {
  readonly sink: S;
  /** The address without its settings. */
  readonly address: SinkAddress;
  /** The settings in its query: a string each, or several. */
  readonly settings: ReadonlyMap<string, Json>;
}

/** Returns whether a sink's addresses are URLs of servers, which may have parameters of their own. */
export const isServer = ({ address }: Pick<SinkOutline, 'address'>): boolean =>
  address.some((form) => /^[\w+.-]+:\/\//.test(form));

/**
 * Finds the sink of an address: the first one with the scheme.
 *
 * @returns `fault`: the problem of the address, for people and without secrets
 * @example findSink('parquet:out?nested=json', [parquet]) // { sink: parquet, address: { url: 'parquet:out', rest: 'out' }, settings: Map { 'nested' => 'json' } }
 */
export function findSink<S extends SinkOutline>(
  text: string,
  sinks: readonly S[],
): FoundSink<S> | { readonly fault: string } {
  const [, scheme = '', written = ''] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.+)$/s.exec(text) ?? [];
  const sink = sinks.find(({ schemes }) => schemes.includes(scheme));
  if (sink === undefined || (isServer(sink) && !written.startsWith('//')))
    return { fault: unknown(text, sink === undefined ? scheme : '', sinks) };
  if (!isServer(sink) && written.startsWith('//'))
    return {
      fault: `${scheme}: is followed by a path, and not by "//": write ${JSON.stringify(`${scheme}:${written.replace(/^\/\//, '')}`)}.`,
    };
  const { rest, settings } = splitQuery(written, sink);
  return { sink, address: { url: `${scheme}:${rest}`, rest }, settings };
}

interface Split {
  readonly rest: string;
  readonly settings: ReadonlyMap<string, Json>;
}

/**
 * Splits an address and its settings. For a server, parameters that the sink does not declare stay in the URL. For a
 * file or a folder, everything after the last `?` is settings.
 */
function splitQuery(written: string, { options, ...sink }: SinkOutline): Split {
  const whole = { rest: written, settings: new Map<string, Json>() };
  if (options === undefined) return whole;
  if (!isServer(sink)) {
    const at = written.lastIndexOf('?');
    return at < 0 ? whole : { rest: written.slice(0, at), settings: settingsIn(written.slice(at + 1).split('&')) };
  }
  const at = written.indexOf('?');
  // A password with an unencoded `?` is left to the sink, which refuses it.
  if (at < 0 || /[@#]/.test(written.slice(at))) return whole;
  const isOwn = (part: string): boolean => Object.hasOwn(options, nameIn(part));
  const parts = written.slice(at + 1).split('&');
  const own = parts.filter(isOwn);
  if (own.length === 0) return whole;
  const others = parts.filter((part) => !isOwn(part)).join('&');
  return { rest: `${written.slice(0, at)}${others === '' ? '' : `?${others}`}`, settings: settingsIn(own) };
}

const nameIn = (part: string): string => new URLSearchParams(part).keys().next().value ?? '';

/** Returns the settings by name; a repeated name has several values. */
function settingsIn(parts: readonly string[]): ReadonlyMap<string, Json> {
  const query = new URLSearchParams(parts.join('&'));
  return new Map(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

/** Describes a URL that names no destination, without parts that could be a password. */
function unknown(url: string, scheme: string, known: readonly SinkOutline[]): string {
  const bare = url.includes('@') ? url.replace(/^(\w*:?(\/\/)?).*@/s, '$1***@') : url;
  const shown = JSON.stringify(new Secrets().mask(bare));
  const forms = known.flatMap(({ address }) => address);
  const list = [forms.slice(0, -1).join(', '), ...forms.slice(-1)].filter((part) => part !== '').join(' or ');
  const schemes = known.flatMap((sink) => sink.schemes);
  const meant = scheme === '' ? byExtension(bare, known) : likely(scheme, schemes);
  return `A destination should be ${list}; found ${shown}.${meant}`;
}

/** Returns a sentence with the address of a file, or of the folder that is called so, where the scheme stands at its end; else nothing. */
function byExtension(text: string, known: readonly SinkOutline[]): string {
  const [, base = '', scheme = ''] = /^(.+)\.(\w+)$/s.exec(text) ?? [];
  const sink = known.find((each) => each.schemes.includes(scheme) && !isServer(each));
  if (sink === undefined) return '';
  const isFolder = sink.address.includes(`${scheme}:FOLDER`);
  return ` Did you mean ${JSON.stringify(new Secrets().mask(`${scheme}:${isFolder ? base : text}`))}?`;
}

/** Returns a sentence with a similar scheme; nothing if there is none. */
const likely = (scheme: string, schemes: readonly string[]): string => {
  const hint = meantOrKnown(scheme, schemes);
  return hint.startsWith(' Known') ? '' : hint;
};

/**
 * A destination in a configuration or on a command line: an address, and settings of its sink (docs/sinks.md#settings).
 */

/** A parsed destination. */
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
 * @param sinks the known sinks; of several with the same scheme, the first one applies
 * @param defaults settings that apply if the destination lacks them; settings that a sink does not declare are ignored
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

/** Reads the settings of a destination with a known sink: settings of the query and of the object. */
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

/** Returns the policy for settings: an unknown setting is a mistake, because its intended effect would be missing. */
const settingPolicy =
  (sink: string): UnknownKeyPolicy =>
  (key, value, names) => {
    const usual = unknownKey()(key, value, names);
    if (usual?.isUnknown !== true) return usual;
    const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
    return mistaken(`${NO_EFFECT}: ${sink} has no such setting; ${known}`);
  };

/** Returns the schema of a destination: an address, or one branch for each sink, selected by the scheme in `to`. */
function schemaOfDestination(sinks: readonly SinkOutline[]): Schema {
  const branches = sinks.map(({ name, schemes, example = `${schemes[0]}:PLACE`, options = {} }): Schema => {
    const address = withSchema(string, () => ({ type: 'string', pattern: `^(${schemes.join('|')}):` }));
    const to = required(address, 'the address', { about: 'The address.', example });
    return named(`sink.${name}`, () => fieldsSchema({ [TO]: to, ...options }));
  });
  return { anyOf: [{ type: 'string', pattern: '^[A-Za-z][A-Za-z0-9+.-]*:' }, ...branches] };
}
