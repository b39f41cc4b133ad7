import { isObject } from '../../../core/json/keys';
import type { Json } from '../../../core/model';
import type { ChosenPagination } from './define';
import { goOn, stop } from './paginator';
import type { Step } from './paginator';

/** Where a page ends that was cut from a streamed response. */
export interface StreamPosition {
  /** The items before it. */
  readonly items: number;
  /** A digest of them. */
  readonly digest: string;
}

export const streamPosition = (position: Json): StreamPosition | undefined =>
  isObject(position) && typeof position['items'] === 'number' && typeof position['digest'] === 'string'
    ? { items: position['items'], digest: position['digest'] }
    : undefined;

/** One request a job, whose response is cut into pages as it arrives (docs/language/large-responses.md). */
export const streamed: ChosenPagination = {
  method: 'none',
  options: {},
  counts: [],
  places: [],
  parallel: 1,
  keepsBody: true,
  dropsParams: false,
  paginator: ({ params }) => {
    const at = (position: Json): Step => ({ change: { params }, position });
    return {
      by: 'nothing',
      first: at(null),
      at,
      next: ({ reply: { response } }) =>
        response.following === undefined ? stop('The response is at its end.') : goOn(at(response.following)),
    };
  },
};
