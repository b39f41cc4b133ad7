/** The parts into which a run is divided that several processes make (docs/scale.md). */

/** The key of a call, as in `Checkpoint.call`. */
type CallKey = readonly number[];

/** Every `of`-th one, beginning with number `at`. */
export interface Share {
  readonly at: number;
  readonly of: number;
}

/**
 * A part of a run: one after another, parts are what a single process would do.
 *
 * - `job`: the calls of one job; with `below`, those of its children as well. `share`: only these of its windows and partitions.
 * - `children`: the calls of children for the items of one page of a call, and all calls below them. `share`: only these of them.
 */
export type RunPart =
  | { readonly kind: 'job'; readonly call: CallKey; readonly below: boolean; readonly share?: Share }
  | { readonly kind: 'children'; readonly call: CallKey; readonly page: number; readonly share: Share };

/** A page for whose items jobs are called. */
export interface ParentPage {
  readonly call: CallKey;
  /** From 0. */
  readonly page: number;
  readonly items: number;
}

/**
 * Returns the parts for the items of a page.
 *
 * @param calls how many items a part has at most
 * @example partsBelow({ call: [0, 0], page: 2, items: 250 }, 100).length // 3
 */
export const partsBelow = ({ call, page, items }: ParentPage, calls: number): readonly RunPart[] => {
  const of = Math.ceil(items / calls);
  return Array.from({ length: of }, (_, at) => ({ kind: 'children', call, page, share: { at, of } }));
};

const DIGITS = 9;

/**
 * Returns the name of a part. In the order of their names, parts are behind those on whose pages they depend.
 *
 * @example partName({ kind: 'job', call: [0, 2], below: false }) // '1.000000000.000000002'
 */
export function partName(part: RunPart): string {
  const { kind, call, share } = part;
  const numbers = [...call, ...(kind === 'job' ? [] : [part.page]), ...(share === undefined ? [] : [share.at])];
  const places = numbers.map((number) => String(number).padStart(DIGITS, '0'));
  return [kind === 'job' ? '1' : '2', ...places].join('.') + (share === undefined ? '' : `-of-${share.of}`);
}

const isIn = ({ at, of }: Share, number: number): boolean => number % of === at;

/** Returns whether a call, by its key, belongs to a part, or leads to calls that do. */
export function ownsCall(part: RunPart, key: CallKey): boolean {
  const { call } = part;
  if (call.some((number, at) => at < key.length && key[at] !== number)) return false;
  if (key.length <= call.length) return true;
  const [page, number = 0] = key.slice(call.length);
  if (part.kind === 'children') return page === part.page && isIn(part.share, number);
  const { share, below } = part;
  if (share === undefined) return below;
  // Below a job that is divided are its slices, and below these the calls of children.
  return isIn(share, number) && (below || key.length === call.length + 2);
}
