import { crc32 } from 'node:zlib';
import { parseList } from '../core/json/parse';
import type { Evidence } from '../core/evidence';
import type { Checkpoint, Item, Page, Reply, Response } from '../core/model';
import type { FoundItems } from './items';
import type { Next } from '../language/parts/pagination/paginator';
import type { Delivered } from './shaping/shaping';
import type { JobRun } from './job-run';
import { checkStops } from './stops';
import { pagesBefore, positionWith } from './submitted';

/** A page that has arrived, and the step after it. */
export interface AcceptedPage {
  readonly reply: Reply;
  readonly found: FoundItems;
  readonly next: Next;
  readonly evidence: Evidence | undefined;
}

/** A page, and the items that the job delivers of it. */
export interface Made extends AcceptedPage {
  readonly delivered: Delivered;
  /** The items as lines, unchanged, where other jobs are called for them. */
  readonly parents?: string;
}

/**
 * Returns the checkpoint of a call after a page. The stops are evaluated here, since a resumed run no longer has the response.
 *
 * @param before the pages, items and bytes of the call before this page
 * @param now Unix seconds
 * @example checkpointAfter(running, { pages: 0, items: 0, volume: 0 }, { reply, found, next, evidence, delivered: found }, 1500000000)
 */
export function checkpointAfter(
  running: JobRun,
  before: Pick<Checkpoint, 'pages' | 'items' | 'volume'>,
  made: Made,
  cursor: Page['cursor'],
  now: number,
): Checkpoint {
  const { plan, call, startedAt } = running;
  const { reply, found, next, evidence, parents } = made;
  const pages = before.pages + 1;
  const items = before.items + found.count;
  const verdict = checkStops(plan.stops, {
    pages,
    items,
    count: found.count,
    volume: before.volume,
    reply,
    startedAt,
    now,
  });
  const goesOn = verdict.kind === 'go-on' && next.kind === 'step';
  return {
    call: call.key,
    job: plan.id,
    pages: pages + pagesBefore(running),
    items,
    volume: verdict.kind === 'go-on' ? verdict.volume : before.volume,
    ...(goesOn ? { position: positionWith(running.submitted, next.step.position), digest: digestOf(reply) } : {}),
    ...(cursor === undefined ? {} : { cursor }),
    ...(evidence === undefined ? {} : { evidence }),
    ...(parents === undefined ? {} : { parents }),
  };
}

/**
 * Returns a digest that is equal for responses with equal bytes: their number and their CRC-32, since it is made of every page, and read where
 * two pages that follow each other are compared.
 */
export const digestOf = ({ response: { body } }: Reply): string => `${body.byteLength} ${crc32(body).toString(16)}`;

/** Returns the items for which other jobs are called. */
export const parentsOf = ({ parents = '' }: Pick<Checkpoint, 'parents'>): readonly Item[] =>
  parseList(parents.split('\n').slice(0, -1));

/** Returns whether the status means that the API no longer knows the position, such as an expired scroll cursor. */
export const isStale = ({ status }: Response): boolean => STALE.has(status);

/** Returns whether the status means that something no longer exists, such as a deleted result. */
export const isGone = ({ status }: Response): boolean => status === 404 || status === 410;

const STALE: ReadonlySet<number> = new Set([400, 404, 409, 410, 422]);
