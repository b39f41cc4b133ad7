import { oneOf } from '../../codec/primitives';

const NESTINGS = ['tables', 'json'] as const;

/** What becomes of objects and lists in items: columns and tables of their own, or JSON. */
export type Nesting = (typeof NESTINGS)[number];

export const nesting = oneOf('Nesting', NESTINGS);
