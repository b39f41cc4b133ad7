/** Two ways to end a run early. Both close its connections; an aborted run fails with the reason, `takeUntil` completes. */
const { extract } = require('headwater');
const { filter, lastValueFrom, share, takeUntil, toArray } = require('rxjs');
const { withExampleApi } = require('./with-example-api.cjs');

module.exports = withExampleApi('measurements.json', async (config) => {
  const pages$ = extract(config).pages$.pipe(share());
  const secondPage$ = pages$.pipe(filter(({ index }) => index === 1));
  const pages = await lastValueFrom(pages$.pipe(takeUntil(secondPage$), toArray()));
  console.log(`takeUntil: completed with ${pages.length} page`);

  const shutdown = new AbortController();
  const extraction = extract(config, { signal: shutdown.signal });
  try {
    for await (const { index } of extraction.pages())
      if (index === 1) shutdown.abort(new Error('the service is shutting down'));
  } catch (error) {
    console.log(`AbortSignal: ${error.message}`);
  }
});
