import type { Nesting } from '../../config/jobs/nesting';
import type { OutputPlan } from '../../plan/plan';

/** What a destination does with objects and lists in items, unless the job says it. */
export interface NestingOptions {
  /** Default: `tables`. */
  readonly nested?: Nesting;
}

/**
 * Whether the objects and lists of a dataType become columns and tables.
 *
 * @param nested what the destination does where the job says nothing
 * @example linkedIn([{ incremental: false, compatLevel: 3 }])('orders') // true
 */
export const linkedIn =
  (outputs: readonly OutputPlan[], { nested = 'tables' }: NestingOptions = {}) =>
  (dataType: string): boolean =>
    (outputs.find((output) => output.nested?.has(dataType))?.nested?.get(dataType) ?? nested) === 'tables';
