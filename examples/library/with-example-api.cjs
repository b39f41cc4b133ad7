const { startServer } = require('../api/server.cjs');
const { configurationAt } = require('../configuration.cjs');

/**
 * Runs a sample against the example API: starts the API, hands over a configuration that leads there, and stops it.
 *
 * @param name file name of the configuration in examples/
 * @param sample what to run; the API stops when its promise settles
 */
async function withExampleApi(name, sample) {
  const api = await startServer();
  try {
    await sample(configurationAt(api.origin, name));
  } finally {
    await api.close();
  }
}

module.exports = { withExampleApi };
