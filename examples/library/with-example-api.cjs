const { startServer } = require('../api/server.cjs');
const { configurationAt } = require('../configuration.cjs');

/**
 * Runs a sample against the example API: starts the API, hands over a configuration that leads there, and stops it.
 *
 * @param name file name of the configuration in examples/
 * @param sample what to run, given the configuration and the API; the API stops when its promise settles
 * @param options how the API behaves; see `startServer`
 */
async function withExampleApi(name, sample, options) {
  const api = await startServer(options);
  try {
    await sample(configurationAt(api.origin, name), api);
  } finally {
    await api.close();
  }
}

module.exports = { withExampleApi };
