/** A setting that changes: each value is a run with this parameter, and the run before it is left at once. */
const { prepare } = require('headwater');
const { lastValueFrom, concat, of, switchMap, take, toArray, map } = require('rxjs');
const { withExampleApi } = require('../library/with-example-api.cjs');

module.exports = withExampleApi('stations.json', async ({ api, config }) => {
  const measurements = { endpoint: 'measurements', params: { station: { attr: 'station' } } };
  const byStation = prepare(
    { api, config: { ...config, jobs: [measurements] } },
    { parameters: { station: 'string' } },
  );
  const setting$ = concat(of('ALD-01'), of('MAR-01'));
  const levels$ = setting$.pipe(
    switchMap((station) => byStation.run({ station })),
    map(({ station, levelCentimetres }) => `${station}: ${levelCentimetres} cm`),
  );
  console.log((await lastValueFrom(levels$.pipe(take(2), toArray()))).join(', '));
  try {
    byStation.run({ station: 7 });
  } catch (error) {
    console.log(error.faults.map(({ path, message }) => `${path}: ${message}`).join());
  }
});
