/** `for await` pulls: with `prefetch` 0 a page is requested when the loop wants it, and `break` ends the run. */
const { extract } = require('headwater');
const { withExampleApi } = require('./with-example-api.cjs');

const HIGH_WATER = 100;

module.exports = withExampleApi('measurements.json', async (config) => {
  let requests = 0;
  const onEvent = ({ type, purpose }) => {
    if (type === 'request.sent' && purpose.kind === 'page') requests += 1;
  };
  for await (const { station, time, levelCentimetres } of extract(config, { onEvent, prefetch: 0 })) {
    if (levelCentimetres < HIGH_WATER) continue;
    console.log(`High water at ${station}: ${levelCentimetres} cm at ${time}`);
    break;
  }
  console.log(`found after ${requests} requests for pages; the rest was never asked for`);
});
