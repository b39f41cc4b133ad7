/** Where the items of a response are, and where else they could be. */
import { entriesOf, isList, isObject } from '../../core/json/keys';
import type { Json, Reply } from '../../core/model';
import type { JobPlan } from '../../plan/plan';
import { findItems } from '../../sources/items';
import { HeadwaterError } from '../../core/errors/errors';
import type { FoundPreview } from './model';

const DEEPEST = 5;
const MOST_CANDIDATES = 20;
const MOST_KEYS = 200;

/** The keys that lead to the items; `undefined` where none were found. */
export type FoundKeys = readonly string[] | undefined;

/** Where the engine found the items of a page: it looks as the page loop did. */
export function foundKeys({ items, endpoint }: Pick<JobPlan, 'items' | 'endpoint'>, reply: Reply): FoundKeys {
  if (reply.raw !== undefined) return reply.raw.path;
  try {
    const { place } = findItems(items, reply.data, endpoint);
    return place.kind === 'list' || place.kind === 'value' ? place.path : undefined;
  } catch (error) {
    // Several lists to choose from: none is that of the items.
    if (error instanceof HeadwaterError) return undefined;
    throw error;
  }
}

/** The same in the words of a configuration. */
export function foundOf({ items }: Pick<JobPlan, 'items'>, keys: FoundKeys, data: Json | undefined): FoundPreview {
  const detected = keys === undefined ? '' : pathOf(keys);
  return {
    path: items.path ?? detected,
    how: items.path === undefined ? 'detected' : 'configured',
    candidates: candidatesIn(data),
  };
}

/** The lists of a response, those near its root first. */
function candidatesIn(data: Json | undefined): FoundPreview['candidates'] {
  const found: FoundPreview['candidates'][number][] = [];
  let level: (readonly [readonly string[], Json])[] = data === undefined ? [] : [[[], data]];
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1) {
    const next: (readonly [readonly string[], Json])[] = [];
    for (const [path, value] of level) {
      if (isList(value)) found.push({ path: pathOf(path), count: value.length });
      else if (isObject(value))
        for (const [key, inner] of entriesOf(value).slice(0, MOST_KEYS)) next.push([[...path, key], inner]);
    }
    level = next;
  }
  return found.slice(0, MOST_CANDIDATES);
}

const pathOf = (keys: readonly string[]): string => (keys.length === 0 ? '.' : keys.join('.'));
