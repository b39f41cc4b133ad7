import { withMember } from '../../core/json/literals';
import type { ComputedField } from '../../plan/shaping-plan';
import type { RunTimes } from '../../plan/plan';
import { objectIn } from './cell';
import type { Operation } from './cell';

/** `compute` (docs/language/items.md#compute): adds fields; each may use those before it. */
export const computed =
  (fields: readonly ComputedField[], times: RunTimes, path: string): Operation =>
  (cell) => {
    const item = objectIn(cell, 'compute', path);
    return [{ item: fields.reduce((made, { name, value }) => withMember(made, name, value(made, times)), item) }];
  };
