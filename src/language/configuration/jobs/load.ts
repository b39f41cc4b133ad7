import { oneOf } from '../../codec/primitives';

/**
 * What a run does to the rows that a table has: they go; they stay; or those with the key of a new row go (docs/sinks.md#tables).
 */
export type Load = 'replace' | 'append' | 'merge';

export const load = oneOf<Load>('Load', ['replace', 'append', 'merge']);
