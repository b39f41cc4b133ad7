/** Work that fails now and then: `resumable` goes on with the page after the last one that is safe, by `retry`. */
const { extract, progressStores, resumable } = require('headwater');
const { lastValueFrom, retry } = require('rxjs');
const { withExampleApi } = require('../library/with-example-api.cjs');

module.exports = withExampleApi('stations.json', async (config) => {
  const stored = [];
  let failures = 0;
  const insert = async ({ items, index, job }) => {
    if (index === 1 && failures < 2) {
      failures += 1;
      throw new Error('The database is busy.');
    }
    stored.push(...items.map((item) => `${job.dataType} ${item.id ?? item.code}`));
  };
  const pages = resumable(extract(config), { store: progressStores.memory() });
  await lastValueFrom(pages.drain(insert).pipe(retry(5)), { defaultValue: undefined });
  console.log(`${stored.length} items stored, ${new Set(stored).size} of them different, after ${failures} failures`);
});
