/**
 * Two extractions become one stream: stations and measurements, joined per station while both arrive.
 *
 * `merge` alone holds nothing back: while a row is being stored, both extractions would read on to their ends. So both ask
 * the gate of one window before each page, and `drain`, which does the slow work, tells the window how far it is. With the
 * default `prefetch` of 1 a page is requested only while no page waits. Both may pass the gate for the same free place, so
 * at most two pages wait and one is worked on, however long the extractions are.
 */
const { extract } = require('headwater');
const { boundedWindow } = require('headwater/operators');
const { concatMap, count, delay, filter, finalize, forkJoin, from, lastValueFrom, map, merge, of } = require('rxjs');
const { scan, share, tap } = require('rxjs');
const { configurationAt } = require('../configuration.cjs');
const { withExampleApi } = require('../library/with-example-api.cjs');

const MEASUREMENTS_A_STATION = 3;
const HIGH_WATER = 150;
const BOUND = 3;

/** Stands for a database that takes its time. */
const store = (row) => of(row).pipe(delay(20));

/** Adds a page of either kind to what is known. What is complete leaves at once, so that only open rows are kept. */
function join({ open }, { stations = [], measurements = [] }) {
  const rows = new Map(open);
  const known = (id) => rows.get(id) ?? { id, levels: [] };
  for (const { id, name } of stations) rows.set(id, { ...known(id), name });
  for (const { station, levelCentimetres } of measurements)
    rows.set(station, { ...known(station), levels: [...known(station).levels, levelCentimetres] });
  const complete = [...rows.values()].filter(
    ({ name, levels }) => name !== undefined && levels.length === MEASUREMENTS_A_STATION,
  );
  for (const { id } of complete) rows.delete(id);
  return { open: rows, complete };
}

async function mergeTwo(stationsConfig, measurementsConfig) {
  let unstored = 0;
  let most = 0;
  const { gate, drain } = boundedWindow();
  const stations$ = extract(stationsConfig).pagesBehind(gate);
  const measurements$ = extract(measurementsConfig).pagesBehind(gate);
  const rows$ = merge(
    stations$.pipe(map(({ items }) => ({ stations: items }))),
    measurements$.pipe(map(({ items }) => ({ measurements: items }))),
  ).pipe(
    tap(() => (most = Math.max(most, (unstored += 1)))),
    // One value a page, also where no row is complete yet: what the window counts are pages.
    scan(join, { open: new Map() }),
    drain(({ complete }) =>
      from(complete).pipe(
        concatMap(store),
        finalize(() => (unstored -= 1)),
      ),
    ),
    // Both views below look at this one run.
    share(),
  );

  const high$ = rows$.pipe(
    filter(({ levels }) => Math.max(...levels) >= HIGH_WATER),
    tap(({ id, name, levels }) => console.log(`${id}  ${name}: ${Math.max(...levels)} cm`)),
    count(),
  );
  const { high, all } = await lastValueFrom(forkJoin({ high: high$, all: rows$.pipe(count()) }));
  console.log(`high water at ${high} of ${all} stations`);
  console.log(`pages fetched and not stored: ${most <= BOUND ? `never more than ${BOUND}` : `up to ${most}`}`);
}

module.exports = withExampleApi(
  'stations.json',
  ({ api, config }, { origin }) =>
    mergeTwo(
      { api, config: { ...config, jobs: [{ endpoint: 'stations' }] } },
      configurationAt(origin, 'measurements.json'),
    ),
  { limitEvery: 0 },
);
