import type { ItemBlock } from '../../src/core/json/item-reader';

/** The texts of the items of a block. */
export const textsOf = ({ bytes, starts, ends }: ItemBlock): readonly string[] =>
  starts.map((start, at) => Buffer.from(bytes.subarray(start, ends[at])).toString());
