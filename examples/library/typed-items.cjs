/** A decoder makes the items of a job what the program wants; what does not decode is told of, and the run goes on. */
const { extract } = require('headwater');
const { lastValueFrom, Subject, toArray } = require('rxjs');
const { withExampleApi } = require('./with-example-api.cjs');

/** Anything with a `parse` that throws decodes items: a schema of zod, for example. */
const Station = {
  parse: ({ id, name, river }) => {
    if (river === 'MAR') throw new Error('the Marl is not ours');
    return { label: `${id} ${name}` };
  },
};

module.exports = withExampleApi('stations.json', async (config, api) => {
  const invalid$ = new Subject();
  const refused = [];
  invalid$.subscribe(({ reasons, position }) => refused.push(`item ${position}: ${reasons.join()}`));
  const extraction = extract(config, { items: { stations: Station }, onInvalid: invalid$ });
  const stations = await lastValueFrom(extraction.job('stations').items$.pipe(toArray()));
  console.log(`${stations.length} stations, the first: ${stations[0].label}`);
  console.log(`${refused.length} were refused, the first: ${refused[0]}`);
  console.log(`${api.stats.pages} pages were requested, of this job alone`);
});
