/** How a destination stores objects and lists in items. */
import type { Nesting } from '../language/configuration/jobs/table';
import type { Warn } from '../language/parts/sink';
import type { OutputPlan } from '../plan/plan';

/** How a destination stores objects and lists in items, unless the job says it. */
export interface NestingOptions {
  /** Default: `tables`. */
  readonly nested?: Exclude<Nesting, 'struct'> | undefined;
}

/** The same for a destination with STRUCT and LIST columns. */
export interface StructOptions {
  /** Default: `tables`. */
  readonly nested?: Nesting | undefined;
}

/** The options of a sink of typed tables. */
export interface TableOptions<N extends StructOptions = NestingOptions> {
  readonly nested?: N['nested'];
  /** Is called with warnings about values that mappings do not find; absent: there are no warnings. */
  readonly warn?: Warn | undefined;
}

/**
 * Returns a function that checks whether the objects and lists of a dataType are stored in this way.
 *
 * @param nested the default of the destination if the job does not say it
 */
const nestedAs =
  (wanted: Nesting, outputs: readonly OutputPlan[], { nested = 'tables' }: StructOptions = {}) =>
  (dataType: string): boolean =>
    (outputs.find((output) => output.nested?.has(dataType))?.nested?.get(dataType) ?? nested) === wanted;

/**
 * Returns whether the objects and lists of a dataType become columns and tables.
 *
 * @example linkedIn([{ incremental: false, compatLevel: 3 }])('orders') // true
 */
export const linkedIn = (outputs: readonly OutputPlan[], options?: StructOptions): ReturnType<typeof nestedAs> =>
  nestedAs('tables', outputs, options);

/**
 * Returns a function that checks whether they become STRUCT and LIST columns.
 *
 * @example structsIn([{ incremental: false, compatLevel: 3 }], { nested: 'struct' })('orders') // true
 */
export const structsIn = (outputs: readonly OutputPlan[], options?: StructOptions): ReturnType<typeof nestedAs> =>
  nestedAs('struct', outputs, options);
