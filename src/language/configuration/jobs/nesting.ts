import { oneOf } from '../../codec/primitives';

/** What becomes of objects and lists in items: columns and tables of their own, JSON, or columns of STRUCT and LIST. */
export type Nesting = 'tables' | 'json' | 'struct';

export const nesting = oneOf<Nesting>('Nesting', ['tables', 'json', 'struct']);
