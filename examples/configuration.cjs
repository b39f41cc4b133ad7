const { URL } = require('node:url');

/** An example configuration by its file name, moved to the address at which the example API listens. */
function configurationAt(origin, name) {
  const { api, config } = require(`./${name}`);
  const { pathname } = new URL(api.baseUrl);
  return { api: { ...api, baseUrl: `${origin}${pathname}` }, config };
}

module.exports = { configurationAt };
