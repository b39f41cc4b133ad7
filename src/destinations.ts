/**
 * Finds the sinks of the destinations that a person names by a URL, with `--to` or in `config.sinks` (docs/sinks.md).
 */
import type { DurableSink } from './durable-sink';
import { FatalError } from './errors';
import { didYouMean } from './expressions/nearest';
import type { Log } from './log';
import type { Sink } from './model';
import { Secrets } from './secrets';
import type { Nesting } from './config/jobs/nesting';
import type { Part } from './config/parts/parts';
import type { Destination, SinkAddress, SinkDefinition } from './sinks/define-sink';
import * as registry from './sinks/registry';
import { transient } from './sinks/transient';
import { tellTo } from './tell';
import type { PartNames } from './written';

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

const isServer = ({ address }: SinkDefinition): boolean => address.some((form) => form.includes('://'));

const destinationIn =
  (definition: SinkDefinition, address: SinkAddress, options: { readonly logger?: Log }): Destination =>
  (outputs, tell) => {
    const { logger } = options;
    const told = tell ?? tellTo(logger === undefined ? {} : { logger });
    const sink = definition.create(address, { outputs, warn: (code, message) => told?.(code, message) }, options);
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

const named =
  (definition: SinkDefinition): NamedSink<object> =>
  (place, options = {}) =>
    destinationIn(
      definition,
      { url: isServer(definition) ? place : `${definition.schemes[0]}:${place}`, rest: place },
      options,
    );

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
 * The destination that a URL names: `ndjson:-`, `ndjson:FOLDER`, `csv:FOLDER`, `parquet:FOLDER`, `duckdb:FILE`,
 * `postgres://…`, `nats://…`, or one of your own.
 *
 * @throws FatalError CONFIG_INVALID for any other; DESTINATION_ADDRESS, when it is used, for an address that its sink refuses
 * @example destinationOf('duckdb:items.duckdb')
 */
export function destinationOf(url: string, options: DestinationOptions = {}): Destination {
  const { components = [], ...others } = options;
  const found = findSink(url, components);
  if ('fault' in found) throw new FatalError('CONFIG_INVALID', found.fault);
  return destinationIn(found.definition, found.address, others);
}

/** Says what is wrong with the address of a destination, for people and without secrets; `undefined`: nothing. */
export function faultOfAddress(url: string, components: readonly Part[] = []): string | undefined {
  const found = findSink(url, components);
  return 'fault' in found ? found.fault : undefined;
}

type Found = { readonly definition: SinkDefinition; readonly address: SinkAddress } | { readonly fault: string };

function findSink(url: string, components: readonly Part[]): Found {
  const known = [...components.filter((part) => part.kind === 'sink'), ...Object.values<SinkDefinition>(BUILT_IN)];
  const [, scheme = '', rest = ''] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.+)$/s.exec(url) ?? [];
  const definition = known.find(({ schemes }) => schemes.includes(scheme));
  if (definition === undefined || (isServer(definition) && !rest.startsWith('//')))
    return { fault: unknown(url, definition === undefined ? scheme : '', known) };
  return { definition, address: { url, rest } };
}

/** Describes a URL that names no destination, without what could be a password in it. */
function unknown(url: string, scheme: string, known: readonly SinkDefinition[]): string {
  const bare = url.includes('@') ? url.replace(/^(\w*:?(\/\/)?).*@/s, '$1***@') : url;
  const shown = JSON.stringify(new Secrets().mask(bare));
  const forms = known.flatMap(({ address }) => address);
  const list = [forms.slice(0, -1).join(', '), ...forms.slice(-1)].filter((part) => part !== '').join(' or ');
  const schemes = known.flatMap((definition) => definition.schemes);
  const meant = scheme === '' ? '' : likely(scheme, schemes);
  return `A destination should be ${list}; found ${shown}.${meant}`;
}

/** The scheme that was likely meant, as a sentence; nothing where none is near. */
const likely = (scheme: string, schemes: readonly string[]): string => {
  const hint = didYouMean(scheme, schemes);
  return hint.startsWith(' Known') ? '' : hint;
};
