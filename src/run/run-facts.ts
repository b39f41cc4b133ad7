import type { RunFacts } from '../core/durable-sink';
import type { RunEvent } from '../core/events';
import { valueAt } from '../core/json/path';
import type { Json } from '../core/model';
import { version } from '../core/version';

/** Counts what happens in a run, for its record. */
export interface RunCounter {
  readonly hear: (event: RunEvent) => void;
  readonly facts: () => Omit<RunFacts, 'configuration' | 'resumedPages'>;
}

/**
 * @example
 * const counter = createRunCounter();
 * counter.hear(event);
 * counter.facts().requests; // 1 after the first `request.sent`
 */
export function createRunCounter(): RunCounter {
  let [requests, retries, warnings] = [0, 0, 0];
  let ended: Pick<RunFacts, 'outcome' | 'pages' | 'items'> = { outcome: 'complete', pages: 0, items: 0 };
  return {
    hear: (event) => {
      if (event.type === 'request.sent') requests += 1;
      else if (event.type === 'retry.scheduled') retries += 1;
      else if (event.type === 'warning' && event.isExpected !== true) warnings += 1;
      else if (event.type === 'run.finished') {
        const { outcome, jobs } = event;
        const sum = (key: 'pages' | 'items'): number => jobs.reduce((total, job) => total + job[key], 0);
        ended = { outcome, pages: sum('pages'), items: sum('items') };
      }
    },
    facts: () => ({ ...ended, version, requests, retries, warnings }),
  };
}

/**
 * What a configuration calls itself: `config.id`, or else `api.name`.
 *
 * @example configurationName({ api: { name: 'ships', baseUrl: '…' }, config: { jobs: [] } }) // 'ships'
 */
export function configurationName(document: Json): string | undefined {
  const places = ['config.id', 'parameters.config.id', 'api.name', 'parameters.api.name'];
  return places
    .map((place) => valueAt(document, place))
    .find((name): name is string => typeof name === 'string' && name !== '');
}
