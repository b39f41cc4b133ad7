import type { TotalPlace } from '../language/configuration/jobs/completeness';
import type { Json, Reply } from '../core/model';
import { replyValue } from './reply-value';

/**
 * What stands where a response says how many items there are: at a path, or in a header. Of a header as RFC 9110 has it for
 * ranges, `items 0-24/66`, it is what follows the slash.
 */
export function totalValue(reply: Reply, place: TotalPlace): Json | undefined {
  if ('path' in place) return replyValue(reply, place.path);
  const [text = ''] = [reply.response.headers[place.header] ?? []].flat();
  return /^(?:.*\/)?\s*(\d+)\s*$/.exec(text)?.[1];
}

/** How messages name such a place. */
export const totalPlaceText = (place: TotalPlace): string =>
  'path' in place ? JSON.stringify(place.path) : `the header ${place.header}`;
