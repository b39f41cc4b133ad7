import { stringifyAt } from '../../core/json/stringify';
import type { Checkpoint, Item, Page } from '../../core/model';

/** The attributes of a page beside its table and its items. */
export interface PageFacts {
  /** The numbers of its call; default `[0, 0]`, the first job of the first run. */
  readonly call?: readonly number[];
  /** The number of the page in its call, from 1; default 1. */
  readonly pages?: number;
  /** The number of the run of the configuration; default: the first number of the call. */
  readonly run?: number;
  /** Columns that the job adds to each row. */
  readonly extra?: ReadonlyMap<string, string>;
}

/**
 * A page as a run gives it to a sink, for tests.
 *
 * @param table the name of the table, and the dataType of the job
 * @example await sink.write(pageOf('rivers', [{ id: 1 }]));
 */
export function pageOf(table: string, items: readonly Item[], facts: PageFacts = {}): Page {
  const { call = [0, 0], pages = 1, run = call[0] ?? 0, extra = new Map<string, string>() } = facts;
  const checkpoint: Checkpoint = { call, job: 'j', pages, items: items.length, volume: 0 };
  const url = 'http://127.0.0.1/items';
  const purpose = { kind: 'page', job: 'j' } as const;
  const request = { method: 'GET', url, headers: {}, purpose, home: url, provenance: 'configured' } as const;
  return {
    iteration: run,
    job: { id: 'j', path: 'config.jobs[0]', endpoint: 'items', dataType: table },
    table,
    index: pages - 1,
    count: items.length,
    items,
    lines: (before = '', after = '') =>
      Buffer.from(items.map((_, at) => `${before}${stringifyAt(items, at)}${after}\n`).join('')),
    extra,
    reply: {
      response: {
        request: { ...request, receivedNames: [] },
        status: 200,
        headers: {},
        body: new Uint8Array(0),
      },
      data: items,
    },
    checkpoint,
  };
}
