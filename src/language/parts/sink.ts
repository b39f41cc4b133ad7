/** The definition of a sink: everything else that the project says of sinks is derived from it. */
import type { Fields } from '../codec/record';
import type { DurableSink, Made } from '../../core/durable-sink';
import type { WarningCode } from '../../core/events';
import type { OutputPlan } from './output-plan';

/** Takes a warning about what a sink gets. */
export type Warn = (code: WarningCode, message: string) => void;

/** Makes a sink, once it is known how the runs of the configuration write; it may warn about what it gets. */
export type Destination = (outputs: readonly OutputPlan[], warn?: Warn) => DurableSink;

/** The place that a person named, without the settings of the sink. */
export interface SinkAddress {
  /** The whole address, for example `duckdb:items.duckdb` or `postgres://localhost/sales`. */
  readonly url: string;
  /** What follows the scheme and its colon, for example `items.duckdb`. */
  readonly rest: string;
}

/** What a sink is told about the run that it is made for. */
export interface SinkContext {
  /** How each run of the configuration writes, by its number. */
  readonly outputs: readonly OutputPlan[];
  readonly warn: Warn;
}

/**
 * What a sink says of itself, without its code. From these members come its URL schemes, the lists in messages,
 * `config.sinks` with its JSON Schema, and its page of the manual.
 */
export interface SinkOutline {
  readonly kind: 'sink';
  readonly name: string;
  /** One sentence that says what it stores, and where. */
  readonly summary: string;
  /** One sentence that says when to choose it. */
  readonly use: string;
  /** The schemes of its addresses, lower-case; the first one is the usual one. */
  readonly schemes: readonly [string, ...string[]];
  /** The forms of its addresses, for people, for example `duckdb:FILE`; those of servers begin with `SCHEME://`. */
  readonly address: readonly [string, ...string[]];
  /** An address that can be used as it stands. */
  readonly example: string;
  /** Sentences that say what it does, for its page of the manual. */
  readonly rules: readonly string[];
  /** What it makes of items; `undefined`: it takes them as they came. */
  readonly makes: Made | undefined;
  /**
   * Its settings, all of them `optional`: keys beside `to` in `config.sinks`, and parameters of an address. Absent: it has
   * none, and its address is passed on as it stands.
   */
  readonly options?: Fields;
}

/** A sink, defined: its outline and its code. */
export interface SinkDefinition<Options extends object = object> extends SinkOutline {
  /**
   * Makes a sink. Nothing is opened before `open` of that sink, and the address is checked here.
   *
   * @param options its settings, and what only the library gives, all of it optional
   */
  create(address: SinkAddress, context: SinkContext, options: Options): DurableSink;
}

/**
 * Defines a sink, built in or your own.
 *
 * @returns the definition, as it was given
 * @example
 * const memory = defineSink({ kind: 'sink', name: 'memory', schemes: ['memory'], address: ['memory:NAME'], …, create });
 * await deliver(config, [destinationOf('memory:x', { components: [memory] })]);
 */
export const defineSink = <Options extends object = object>(
  definition: SinkDefinition<Options>,
): SinkDefinition<Options> => definition;
