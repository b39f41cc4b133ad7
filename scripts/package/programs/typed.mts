// In strict TypeScript: as an ES module, and under other names as CommonJS.
import { createLogger, defineConfig, extract, HeadwaterError, version } from 'headwater';
import type { Extraction, Item, RunEvent } from 'headwater';
import { defineFunction, textAt } from 'headwater/components';
import { untilAborted } from 'headwater/operators';
import { pageOf } from 'headwater/testing';
import { lastValueFrom, map, toArray } from 'rxjs';
import type { Observable } from 'rxjs';

const shout = defineFunction({
  name: 'shout',
  summary: 'A string in capitals.',
  use: 'An API that hears nothing else.',
  rules: [],
  arguments: [{ name: 'text', about: 'The string.' }],
  result: 'The string in capitals.',
  examples: [{ args: ['a'], result: 'A' }],
  call: (args) => textAt(args, 0).toUpperCase(),
});

const config = defineConfig({
  api: {
    baseUrl: process.argv[2] ?? '',
    http: { cookies: true },
    pagination: { method: 'offset', limit: 2 },
  },
  config: { jobs: [{ endpoint: 'stations', dataField: 'stations', params: { q: 'LOUD' } }] },
});

const events: RunEvent[] = [];
const extraction: Extraction = extract(config, {
  components: [shout],
  onEvent: (event) => events.push(event),
  logger: createLogger({ level: 'error', format: 'json' }),
});
const items$: Observable<Item> = extraction.items$;
const ids$: Observable<string> = items$.pipe(
  untilAborted(new AbortController().signal),
  map((item) => (typeof item === 'object' && item !== null && 'id' in item ? String(item.id) : '')),
);

lastValueFrom(ids$.pipe(toArray())).then(
  (ids) => {
    if (pageOf('stations', [{ id: 1 }]).count !== 1 || events.length === 0 || version === '') process.exitCode = 1;
    console.log(`${ids.length} stations: ${ids.join(' ')}`);
  },
  (error: unknown) => {
    console.error(error instanceof HeadwaterError ? error.code : error);
    process.exitCode = 1;
  },
);
