/**
 * What the command uses of undici: `Agent`, `buildConnector` and `getGlobalDispatcher`, as its index has them. That index
 * also loads fetch, web sockets, caches and mocks, which cost more than all the rest of the command.
 */
const Agent = require('undici/lib/dispatcher/agent.js');
const buildConnector = require('undici/lib/core/connect.js');
const { getGlobalDispatcher } = require('undici/lib/global.js');

module.exports = { Agent, buildConnector, getGlobalDispatcher };
