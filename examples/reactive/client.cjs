/**
 * A person switches from river to river, faster than the API answers: `switchMap` gives up the river before. All extractions
 * belong to one client, so that there is one login, and the application itself uses the same credentials for a request of its
 * own.
 */
const { client } = require('headwater');
const { concatMap, delay, from, lastValueFrom, of, switchMap, take, toArray } = require('rxjs');
const { withExampleApi } = require('../library/with-example-api.cjs');

const RIVERS = ['ALD', 'MAR', 'SAL'];
const SWITCHES = 12;

module.exports = withExampleApi(
  'stations.json',
  async ({ api, config }, { stats }) => {
    const { user, '#password': password } = config;
    const acme = client(api, { credentials: { user, '#password': password }, concurrency: 2 });
    try {
      const stationsOf = (river) =>
        acme.extract({ jobs: [{ endpoint: 'stations', params: { river } }] }).items$.pipe(toArray());
      const chosen$ = from(Array.from({ length: SWITCHES }, (_, at) => RIVERS[at % RIVERS.length])).pipe(
        concatMap((river) => of(river).pipe(delay(2))),
      );
      const stations = await lastValueFrom(chosen$.pipe(switchMap(stationsOf)));
      console.log(`${SWITCHES} rivers chosen, the last with ${stations.length} stations`);

      const { apply } = await lastValueFrom(acme.credentials$.pipe(take(1)));
      const { url, headers } = apply({ url: `${api.baseUrl}/stations?limit=1` });
      console.log(`a request of its own: status ${(await fetch(url, { headers })).status}`);
      console.log(`logins: ${stats.logins}`);
    } finally {
      await acme.close();
    }
  },
  { limitEvery: 0, tokenSeconds: 600 },
);
