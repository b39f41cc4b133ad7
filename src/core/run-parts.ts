/** The parts into which a run is divided that several processes make (docs/scale.md). */

/** The key of a call, as in `Checkpoint.call`. */
type CallKey = readonly number[];

/** Every `of`-th one, beginning with number `at`. */
export interface Share {
  readonly at: number;
  readonly of: number;
}

/** Pages of a call, from 0, whose positions are known before they are requested: each begins `stride` behind the one before it. */
export interface KnownPages {
  readonly from: number;
  /** The page behind the last one. */
  readonly to: number;
  /** The position of page `from`. */
  readonly position: number;
  readonly stride: number;
  /** How many of them a part has. */
  readonly every: number;
}

/**
 * A part of a run: one after another, parts are what a single process would do.
 *
 * - `job`: the calls of one job; with `below`, those of its children as well. `share`: only these of its windows and partitions.
 * - `pages`: some pages of a call, which its first pages have counted.
 * - `rest`: the pages of a call that are behind all `pages` of it; where these are not what was expected, the whole call.
 * - `children`: the calls of children for the items of one page of a call, and all calls below them. `share`: only these of them.
 */
export type RunPart =
  | { readonly kind: 'job'; readonly call: CallKey; readonly below: boolean; readonly share?: Share }
  | { readonly kind: 'pages'; readonly call: CallKey; readonly pages: KnownPages }
  | { readonly kind: 'rest'; readonly call: CallKey; readonly behind: KnownPages }
  | { readonly kind: 'children'; readonly call: CallKey; readonly page: number; readonly share: Share };

/** A page for whose items jobs are called. */
export interface ParentPage {
  readonly call: CallKey;
  /** From 0. */
  readonly page: number;
  readonly items: number;
}

export type PagesPart = Extract<RunPart, { readonly kind: 'pages' }>;
export type RestPart = Extract<RunPart, { readonly kind: 'rest' }>;

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

/**
 * Returns the parts that read the pages before the rest of a call, in their order.
 *
 * @example partsBefore({ call: [0, 0], behind: { from: 2, to: 50, position: 200, stride: 100, every: 20 } }).length // 3
 */
export const partsBefore = ({ call, behind }: Pick<RestPart, 'call' | 'behind'>): readonly PagesPart[] => {
  const { from, to, position, stride, every } = behind;
  return Array.from({ length: Math.ceil((to - from) / every) }, (_, at) => {
    const first = from + at * every;
    const pages = { ...behind, from: first, to: Math.min(to, first + every), position: position + at * every * stride };
    return { kind: 'pages', call, pages };
  });
};

/** Returns the position of the page behind known ones. */
export const positionBehind = ({ from, to, position, stride }: KnownPages): number => position + (to - from) * stride;

const DIGITS = 9;

/**
 * Returns the name of a part. In the order of their names, parts are behind those on whose pages they depend.
 *
 * @example partName({ kind: 'job', call: [0, 2], below: false }) // '1.000000000.000000002'
 */
export function partName(part: RunPart): string {
  const { call } = part;
  if (part.kind === 'pages') return `${nameOf(1, call)}-from-${padded(part.pages.from)}`;
  if (part.kind === 'rest') return `${nameOf(1, call)}-rest`;
  const { share } = part;
  const numbers = [...call, ...(part.kind === 'job' ? [] : [part.page]), ...(share === undefined ? [] : [share.at])];
  return nameOf(part.kind === 'job' ? 1 : 2, numbers) + (share === undefined ? '' : `-of-${share.of}`);
}

const padded = (number: number): string => String(number).padStart(DIGITS, '0');
const nameOf = (kind: number, numbers: readonly number[]): string => [kind, ...numbers.map(padded)].join('.');

const isIn = ({ at, of }: Share, number: number): boolean => number % of === at;

/** Returns whether a call, by its key, belongs to a part, or leads to calls that do. */
export function ownsCall(part: RunPart, key: CallKey): boolean {
  const { call } = part;
  if (call.some((number, at) => at < key.length && key[at] !== number)) return false;
  if (key.length <= call.length) return true;
  const [page, number = 0] = key.slice(call.length);
  if (part.kind === 'children') return page === part.page && isIn(part.share, number);
  if (part.kind !== 'job') return false;
  const { share, below } = part;
  if (share === undefined) return below;
  // Below a job that is divided are its slices, and below these the calls of children.
  return isIn(share, number) && (below || key.length === call.length + 2);
}
