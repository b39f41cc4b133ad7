/**
 * Finds the sinks of the destinations that a person names by an address, with `--to` or in `config.sinks` (docs/sinks.md).
 */
import { readAt } from '../../language/codec/codec';
import type { DurableSink } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import type { Log } from '../../core/log';
import type { JsonObject, Sink } from '../../core/model';
import { destination } from '../../language/configuration/destination';
import type { ReadDestination } from '../../language/configuration/destination';
import { isServer } from '../../language/configuration/destination';
import type { WrittenDestination } from '../../language/configuration/destination';
import type { Nesting } from '../../language/configuration/jobs/table';
import type { Part } from '../../language/parts/parts';
import { outputByTable } from '../../plan/tables';
import type { Destination, SinkAddress, SinkDefinition } from '../../language/parts/sink';
import * as registry from '../../sinks/registry';
import { transient } from '../../sinks/durable';
import { reportTo, warnTo } from '../../core/log';
import type { PartNames } from '#written';

/** What a person may give with an address, beside the address itself. */
export interface DestinationOptions {
  /** Items on standard output bear their dataType. */
  readonly tag?: boolean;
  /** They bear what tables add to items as well, such as `parent_id`. */
  readonly tagExtra?: boolean;
  /** What tables do with objects and lists in items where the job does not say it; default: what the destination does. */
  readonly nested?: Nesting;
  /** Hears what tables cannot hold as it came, where `deliver` has nobody who hears it. */
  readonly logger?: Log;
  /**
   * Sinks of your own, made with `defineSink`; parts of other kinds are left alone. A scheme of theirs comes before a
   * built-in one.
   */
  readonly components?: readonly Part[];
}

/** A line that is missing in the registry does not compile. */
const BUILT_IN: Readonly<Record<PartNames['sink'], SinkDefinition>> & typeof registry = registry;

/** Makes a destination of the part of an address behind its scheme; servers take the whole URL. */
export type NamedSink<Options extends object> = (
  place: string,
  options?: Options & { readonly logger?: Log },
) => Destination;

const destinationIn =
  (definition: SinkDefinition, address: SinkAddress, options: { readonly logger?: Log }): Destination =>
  (outputs, warn) => {
    const { logger } = options;
    const told = warn ?? warnTo(reportTo(logger === undefined ? {} : { logger }));
    const named = definition.makes === undefined ? outputs : outputs.map(outputByTable);
    const sink = definition.create(address, { outputs: named, warn: told }, options);
    const lacking = lackingIn(sink);
    if (lacking === undefined) return sink;
    throw new Error(
      `The sink "${definition.name}" lacks "${lacking}": expected what durableSink or sinks.transient gives.`,
    );
  };

const OF_A_SINK = ['open', 'begin', 'write', 'commit', 'close'] as const satisfies readonly (keyof DurableSink)[];

/** By its type nothing is, but sinks may be written in JavaScript. */
const lackingIn = (sink: unknown): string | undefined =>
  OF_A_SINK.find((member) => typeof Reflect.get(Object(sink) as object, member) !== 'function');

/** The options that are no settings of the sink: the settings were read. */
const others = <O extends object>(options: O, { options: fields = {} }: SinkDefinition): Partial<O> =>
  Object.fromEntries(Object.entries(options).filter(([name]) => !Object.hasOwn(fields, name))) as Partial<O>;

const named =
  (definition: SinkDefinition): NamedSink<object> =>
  (place, options = {}) => {
    // A place is a path as it stands, unless it is the URL of a server, which may have settings.
    const to = isServer(definition) ? place : `${definition.schemes[0]}:${place}?`;
    const { address, options: settings } = read(to, [definition], options);
    return destinationIn(definition, address, { ...others(options, definition), ...settings });
  };

/** A sink of your own that keeps nothing of a run that is broken off. */
const transientDestination =
  (name: string, sink: Sink): Destination =>
  () =>
    transient(name, sink);

/**
 * The destinations of this project, for `deliver`: each takes a file, a folder or a URL, and what only it understands.
 *
 * @example await deliver(config, [sinks.duckdb('items.duckdb'), sinks.csv('tables')]);
 */
export const sinks = {
  ...Object.fromEntries(Object.values(BUILT_IN).map((definition) => [definition.name, named(definition)])),
  transient: transientDestination,
} as {
  readonly [N in keyof typeof registry]: NamedSink<(typeof registry)[N] extends SinkDefinition<infer O> ? O : object>;
} & { readonly transient: (name: string, sink: Sink) => Destination };

/**
 * The destination that an address names: `ndjson:-`, `ndjson:FOLDER`, `csv:FOLDER`, `parquet:FOLDER`, `duckdb:FILE`,
 * `postgres://…`, `nats://…`, or one of your own. Settings of its sink follow the address, or stand beside it.
 *
 * @throws FatalError CONFIG_INVALID for any other, and for settings that the sink does not have; DESTINATION_ADDRESS, when it
 *   is used, for an address that its sink refuses
 * @example destinationOf('duckdb:items.duckdb?nested=json')
 * @example destinationOf({ to: 'duckdb:items.duckdb', nested: 'json' })
 */
export function destinationOf(written: WrittenDestination, options: DestinationOptions = {}): Destination {
  const { components = [], ...general } = options;
  const known = [...components.filter((part) => part.kind === 'sink'), ...Object.values<SinkDefinition>(BUILT_IN)];
  const { sink, address, options: settings } = read(written, known, general);
  if (sink.makes === 'linked-tables' && general.nested !== undefined && general.nested !== 'tables')
    throw new FatalError('CONFIG_INVALID', onlyLinked(sink.name, general.nested));
  return destinationIn(sink, address, { ...others(general, sink), ...settings });
}

const onlyLinked = (sink: string, nested: Nesting): string =>
  `${sink}: has linked tables only, and no others, as "nested": "${nested}" asks. Leave that out, or set it for the other destinations alone, as in duckdb:FILE?nested=json.`;

/** @param options those of its members that the sink declares as settings count where the destination does not have them */
function read<S extends SinkDefinition>(
  written: WrittenDestination,
  sinks: readonly S[],
  options: object,
): ReadDestination<S> {
  const reader = destination(sinks, options as JsonObject);
  const found = readAt(reader, written, []);
  // Nothing that is asked for may be left undone without a word.
  const mistakes = reader.notes(written, []).filter(({ code }) => code === 'MISTAKEN_KEY');
  if (found._tag === 'Right' && mistakes.length === 0) return found.right;
  const faults = (found._tag === 'Right' ? mistakes : found.left).map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  throw new FatalError('CONFIG_INVALID', faults.join('\n  '));
}
