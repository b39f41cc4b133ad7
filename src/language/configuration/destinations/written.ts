import type { Json } from '../../../core/model';

/** A destination as it is written: an address, or an object with the address in `to`, and settings of its sink beside it. */
export type WrittenDestination = string | { readonly to: string; readonly [setting: string]: Json };
