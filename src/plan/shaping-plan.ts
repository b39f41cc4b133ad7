import type { Shaping } from '../language/configuration/jobs/shaping';
import type { Item, Json } from '../core/model';
import type { RunTimes } from './run-times';

/** What a job makes of its items (docs/language/items.md), in the order in which it is done. */
export interface ShapingPlan extends Omit<Shaping, 'compute' | 'rename'> {
  readonly compute: readonly ComputedField[];
  readonly rename: ReadonlyMap<string, string>;
}

/** A field that is computed from the others. */
export interface ComputedField {
  readonly name: string;
  /** The paths in the item that its expression names. */
  readonly reads: readonly string[];
  /** @throws FatalError EXPRESSION_FAILED */
  readonly value: (item: Item, times: RunTimes) => Json;
}
