import { oneOf } from '../../codec/primitives';

/** What becomes of objects and lists in items: columns and tables of their own, or JSON. */
export type Nesting = 'tables' | 'json';

export const nesting = oneOf<Nesting>('Nesting', ['tables', 'json']);
