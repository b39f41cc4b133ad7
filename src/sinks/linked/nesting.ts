import type { Nesting } from '../../language/configuration/jobs/nesting';
import type { OutputPlan } from '../../plan/plan';
import type { Warn } from '../../language/parts/sink';

/** What a destination does with objects and lists in items, unless the job says it. */
export interface NestingOptions {
  /** Default: `tables`. */
  readonly nested?: Exclude<Nesting, 'struct'>;
}

/** The same, for a destination with columns of STRUCT and LIST. */
export interface StructOptions {
  /** Default: `tables`. */
  readonly nested?: Nesting;
}

/** What a sink of typed tables is made with. */
export interface TableOptions<N extends StructOptions = NestingOptions> {
  readonly nested?: N['nested'];
  /** Hears of what mappings do not find; absent: nobody does. */
  readonly warn?: Warn;
}

/**
 * Whether this is what becomes of the objects and lists of a dataType.
 *
 * @param nested what the destination does where the job says nothing
 */
const nestedAs =
  (wanted: Nesting, outputs: readonly OutputPlan[], { nested = 'tables' }: StructOptions = {}) =>
  (dataType: string): boolean =>
    (outputs.find((output) => output.nested?.has(dataType))?.nested?.get(dataType) ?? nested) === wanted;

/**
 * Whether the objects and lists of a dataType become columns and tables.
 *
 * @example linkedIn([{ incremental: false, compatLevel: 3 }])('orders') // true
 */
export const linkedIn = (outputs: readonly OutputPlan[], options?: StructOptions): ReturnType<typeof nestedAs> =>
  nestedAs('tables', outputs, options);

/**
 * Whether they become columns of STRUCT and LIST.
 *
 * @example structsIn([{ incremental: false, compatLevel: 3 }], { nested: 'struct' })('orders') // true
 */
export const structsIn = (outputs: readonly OutputPlan[], options?: StructOptions): ReturnType<typeof nestedAs> =>
  nestedAs('struct', outputs, options);
