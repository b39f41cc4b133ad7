import { createHash } from 'node:crypto';
import { parseList } from '../json/parse';
import type { Evidence } from '../evidence';
import type { Checkpoint, Item, Reply, Response } from '../model';
import type { Found } from './items';
import type { Next } from './pagination/paginator';
import type { Delivered } from './shaping/shaping';
import { cursorOf } from './running';
import type { Running } from './running';
import { checkStops } from './stops';

/** A page that has arrived, and what comes after it. */
export interface Taken {
  readonly reply: Reply;
  readonly found: Found;
  readonly next: Next;
  readonly evidence: Evidence | undefined;
}

/** A page, and what the job has made of its items. */
export interface Made extends Taken {
  readonly delivered: Delivered;
}

/**
 * Where a call stands after a page. A stop that applies now is heeded now: who goes on cannot ask the response any more.
 *
 * @param before pages, items and bytes of the call before this page
 * @param now Unix seconds
 * @example checkpointAfter(running, { pages: 0, items: 0, volume: 0 }, { reply, found, next, evidence, delivered: found }, 1500000000)
 */
export function checkpointAfter(
  running: Running,
  before: Pick<Checkpoint, 'pages' | 'items' | 'volume'>,
  { reply, found, next, evidence, delivered }: Made,
  now: number,
): Checkpoint {
  const { plan, call, startedAt } = running;
  const pages = before.pages + 1;
  const items = before.items + found.count;
  const verdict = checkStops(plan.stops, { pages, items, volume: before.volume, reply, startedAt, now });
  const cursor = cursorOf(running, found);
  const goesOn = verdict.kind === 'go-on' && next.kind === 'step';
  return {
    call: call.key,
    job: plan.id,
    pages,
    items,
    volume: verdict.kind === 'go-on' ? verdict.volume : before.volume,
    ...(goesOn ? { position: next.step.position, digest: digestOf(reply) } : {}),
    ...(cursor === undefined ? {} : { cursor }),
    ...(evidence === undefined ? {} : { evidence }),
    ...(plan.children.length === 0 ? {} : { parents: Buffer.from(delivered.lines()).toString() }),
  };
}

/** Equal for responses with equal bytes. */
export const digestOf = ({ response: { body } }: Reply): string => createHash('sha256').update(body).digest('base64');

/** The items for which other jobs are called. */
export const parentsOf = ({ parents = '' }: Checkpoint): readonly Item[] => parseList(parents.split('\n').slice(0, -1));

/** Whether an API says so of a place in its pages that it does not know any more, such as a scroll that has expired. */
export const isStale = ({ status }: Response): boolean => STALE.has(status);

const STALE: ReadonlySet<number> = new Set([400, 404, 409, 410, 422]);
