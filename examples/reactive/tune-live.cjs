/**
 * Finds out while it runs how much at once an API bears, as TCP does it: a little more with every good answer, half as much
 * when the API turns a request down or is slow. `tune` takes effect at once, and breaks nothing off.
 */
const { extract } = require('headwater');
const { filter, ignoreElements, lastValueFrom, map, merge, scan, share, tap, toArray } = require('rxjs');
const { withExampleApi } = require('../library/with-example-api.cjs');

const PARENT = 'stations';
const CHILD = 'measurements';
const SLOW_MILLISECONDS = 2000;
const MOST = 16;
/** The example API asks for a retry at once: nobody has to wait for a moment in the past. */
const AT_ONCE = 'Thu, 01 Jan 1970 00:00:00 GMT';

/** One call for the measurements of each station; how many of them run at once is told by the job above them. */
const jobs = [
  {
    id: PARENT,
    endpoint: 'stations',
    children: [
      {
        id: CHILD,
        endpoint: 'measurements',
        placeholders: { station: 'id' },
        params: { station: '{station}' },
      },
    ],
  },
];

/** What an event says about the API: `true`, it bears more; `false`, it is too much; `undefined`, nothing. */
function bearsMore(event) {
  switch (event.type) {
    case 'response.received':
      if (event.purpose.job !== CHILD || event.status !== 200) return undefined;
      return event.milliseconds < SLOW_MILLISECONDS;
    // The API turned a request down, or said in its headers that it allows no more for now.
    case 'retry.scheduled':
    case 'requests.paused':
      return false;
    default:
      return undefined;
  }
}

/** One more in each round: as many answers as run at once add up to 1. */
const tuned = (atOnce, more) => (more ? Math.min(MOST, atOnce + 1 / atOnce) : Math.max(1, atOnce / 2));

module.exports = withExampleApi(
  'stations.json',
  async ({ api, config }, { stats }) => {
    const all = { ...api, pagination: { method: 'offset', limit: 100 } };
    const extraction = extract({ api: all, config: { ...config, jobs } });
    const events$ = extraction.events$.pipe(share());

    const verdicts$ = events$.pipe(
      map(bearsMore),
      filter((more) => more !== undefined),
      share(),
    );
    const tuning$ = verdicts$.pipe(
      scan(tuned, 1),
      map(Math.floor),
      tap((atOnce) => extraction.tune({ job: PARENT, concurrency: atOnce })),
      ignoreElements(),
    );
    const stations$ = events$.pipe(
      filter(({ type, page }) => type === 'page.extracted' && page.job.id === CHILD),
      map(({ page }) => page.job.placeholders.station),
    );

    const [verdicts, stations] = await Promise.all([
      lastValueFrom(verdicts$.pipe(toArray())),
      lastValueFrom(merge(stations$, tuning$).pipe(toArray())),
    ]);
    const inOrder = stations.every((id, at) => at === 0 || stations[at - 1] < id);
    console.log(`measurements of ${stations.length} stations, ${inOrder ? 'in' : 'out of'} the order of the stations`);
    console.log(`${stats.requests} requests, of which the API turned down ${stats.limited}`);
    const raised = verdicts.filter((more) => more).length;
    console.log(`more at once after ${raised} answers, half as much after ${verdicts.length - raised} refusals`);
  },
  { retryAfter: AT_ONCE },
);
