/** Each subscription is a run of its own; `share()` lets several views look at the same run. */
const { extract } = require('headwater');
const { filter, lastValueFrom, map, merge, scan, share, tap } = require('rxjs');
const { withExampleApi } = require('./with-example-api.cjs');

const ofType = (type) => filter((event) => event.type === type);

module.exports = withExampleApi('stations.json', async (config) => {
  const events$ = extract(config).events$.pipe(share());
  const items$ = events$.pipe(
    ofType('page.extracted'),
    scan((total, { page }) => total + page.items.length, 0),
    map((total) => `${total} items so far`),
  );
  const logins$ = events$.pipe(
    ofType('credentials.renewed'),
    map(() => 'logged in'),
  );
  const retries$ = events$.pipe(
    ofType('retry.scheduled'),
    map(({ delayMilliseconds, because }) => `${because}; again in ${delayMilliseconds} ms`),
  );
  await lastValueFrom(merge(items$, logins$, retries$).pipe(tap((line) => console.log(line))));
});
