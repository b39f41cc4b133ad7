/** `items$` is an ordinary Observable: RxJS operators shape it, and a subscription starts it. */
const { extract } = require('headwater');
const { count, filter, lastValueFrom, tap } = require('rxjs');
const { withExampleApi } = require('./with-example-api.cjs');

module.exports = withExampleApi('stations.json', async (config) => {
  const sallowStations$ = extract(config).items$.pipe(
    filter(({ river }) => river === 'SAL'),
    tap(({ id, name, sensor }) => console.log(`${id}  ${name}, sensor ${sensor}`)),
    count(),
  );
  console.log(`${await lastValueFrom(sallowStations$)} stations on the Sallow`);
});
