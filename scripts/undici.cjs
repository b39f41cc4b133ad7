/**
 * What the command uses of undici: `request`, `Agent` and `buildConnector`, as its index has them. That index also loads
 * fetch, web sockets, caches and mocks, which cost more than all the rest of the command.
 */
const Agent = require('undici/lib/dispatcher/agent.js');
const sendRequest = require('undici/lib/api/api-request.js');
const buildConnector = require('undici/lib/core/connect.js');
const { parseURL } = require('undici/lib/core/util.js');
const { getGlobalDispatcher } = require('undici/lib/global.js');

function request(address, { dispatcher = getGlobalDispatcher(), ...options }) {
  const { origin, pathname, search } = parseURL(address);
  return sendRequest.call(dispatcher, { ...options, origin, path: pathname + search });
}

module.exports = { Agent, buildConnector, request };
