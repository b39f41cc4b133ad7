/**
 * What this package uses of undici: `Agent`, `buildConnector` and `getGlobalDispatcher`, as its index has them. That index also loads
 * fetch, web sockets, caches and mocks, which take longer to load than all the rest of the command, and make half of a bundle.
 */
export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as buildConnector } from 'undici/lib/core/connect.js';
export { getGlobalDispatcher } from 'undici/lib/global.js';
