/** Resolves addresses of destinations, from `--to` or `config.sinks`, to their sinks (docs/sinks.md). */
import { readAt } from '../../language/codec/codec';
import { FatalError } from '../../core/errors/errors';
import type { Log } from '../../core/log';
import type { JsonObject, Sink } from '../../core/model';
import { destination, isServer } from '../../language/configuration/destination';
import type { ReadDestination, WrittenDestination } from '../../language/configuration/destination';
import type { Nesting } from '../../language/configuration/jobs/table';
import { guarded } from '../../language/parts/parts';
import type { Part } from '../../language/parts/parts';
import { outputByTable } from '../../plan/tables';
import type { Destination, SinkAddress, SinkDefinition } from '../../language/parts/sink';
import * as registry from '../../sinks/registry';
import { transient } from '../../sinks/durable';
import { reportTo, warnTo } from '../../core/log';
import type { PartNames } from '#written';

/** The options that may accompany an address. */
export interface DestinationOptions {
  /** True if items on standard output have their dataType. */
  readonly tag?: boolean;
  /** True if they also have the values that tables add to items, such as `parent_id`. */
  readonly tagExtra?: boolean;
  /** How tables store objects and lists in items if the job does not say it; default: the default of the destination. */
  readonly nested?: Nesting;
  /** Receives warnings about values that tables cannot hold unchanged, if `deliver` has no other receiver for them. */
  readonly logger?: Log;
  /** Your own sinks, made with `defineSink`; parts of other kinds are ignored. Their schemes come before the built-in ones. */
  readonly components?: readonly Part[];
}

/** The registry does not compile if a line is missing. */
const BUILT_IN: Readonly<Record<PartNames['sink'], SinkDefinition>> & typeof registry = registry;

/** Makes a destination from the part of an address after its scheme; servers take the whole URL. */
export type NamedSink<Options extends object> = (
  place: string,
  options?: Options & { readonly logger?: Log },
) => Destination;

const destinationIn =
  (definition: SinkDefinition, address: SinkAddress, options: { readonly logger?: Log }): Destination =>
  (outputs, warn) => {
    const { logger } = options;
    const onWarning = warn ?? warnTo(reportTo(logger === undefined ? {} : { logger }));
    const named = definition.makes === undefined ? outputs : outputs.map(outputByTable);
    return definition.create(address, { outputs: named, warn: onWarning }, options);
  };

/** Returns the options that are no settings of the sink, since the settings are already read. */
const others = <O extends object>(options: O, { options: fields = {} }: SinkDefinition): Partial<O> =>
  Object.fromEntries(Object.entries(options).filter(([name]) => !Object.hasOwn(fields, name))) as Partial<O>;

const named =
  (definition: SinkDefinition): NamedSink<object> =>
  (place, options = {}) => {
    // A place is a plain path, unless it is the URL of a server, which may have settings.
    const to = isServer(definition) ? place : `${definition.schemes[0]}:${place}?`;
    const { address, options: settings } = read(to, [definition], options);
    return destinationIn(definition, address, { ...others(options, definition), ...settings });
  };

/** Makes a destination of your own sink that keeps nothing of an interrupted run. */
const transientDestination =
  (name: string, sink: Sink): Destination =>
  () =>
    transient(name, sink);

/**
 * The destinations of this project, for `deliver`: each takes a file, a folder or a URL, and its own options.
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
 * Returns the destination for an address: `ndjson:-`, `ndjson:FOLDER`, `csv:FOLDER`, `parquet:FOLDER`, `duckdb:FILE`, `postgres://…`,
 * `nats://…`, or one of your own. Settings of its sink are in the address, or beside it.
 *
 * @throws FatalError CONFIG_INVALID for any other, and for settings that the sink does not have; DESTINATION_ADDRESS, when it
 *   is used, for an address that its sink refuses
 * @example destinationOf('duckdb:items.duckdb?nested=json')
 * @example destinationOf({ to: 'duckdb:items.duckdb', nested: 'json' })
 */
export function destinationOf(written: WrittenDestination, options: DestinationOptions = {}): Destination {
  const { components = [], ...general } = options;
  const own = components.filter((part) => part.kind === 'sink').map((sink) => guarded<SinkDefinition>(sink));
  const known = [...own, ...Object.values<SinkDefinition>(BUILT_IN)];
  const { sink, address, options: settings } = read(written, known, general);
  if (sink.makes === 'linked-tables' && general.nested !== undefined && general.nested !== 'tables')
    throw new FatalError('CONFIG_INVALID', onlyLinked(sink.name, general.nested));
  return destinationIn(sink, address, { ...others(general, sink), ...settings });
}

const onlyLinked = (sink: string, nested: Nesting): string =>
  `${sink}: has linked tables only, and no others, as "nested": "${nested}" asks. Leave that out, or set it for the other destinations alone, as in duckdb:FILE?nested=json.`;

/**
 * Reads the settings of a destination.
 *
 * @param options those that the sink declares as settings, as defaults for the settings of the destination
 */
function read<S extends SinkDefinition>(
  written: WrittenDestination,
  sinks: readonly S[],
  options: object,
): ReadDestination<S> {
  const reader = destination(sinks, options as JsonObject);
  const found = readAt(reader, written, []);
  // A setting without effect is an error.
  const mistakes = reader.notes(written, []).filter(({ code }) => code === 'MISTAKEN_KEY');
  if (found._tag === 'Right' && mistakes.length === 0) return found.right;
  const faults = (found._tag === 'Right' ? mistakes : found.left).map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  throw new FatalError('CONFIG_INVALID', faults.join('\n  '));
}
