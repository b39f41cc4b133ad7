/** Uses each entry of the package, as an ES module or as CommonJS has loaded it, and what only some configurations need. */
const assert = require('node:assert/strict');
const { generateKeyPairSync } = require('node:crypto');

const RIVERS = 'query($offset: Int, $limit: Int) { rivers(offset: $offset, limit: $limit) { id } }';

module.exports = async function use({ headwater, components, operators, testing, rxjs }) {
  const [url] = process.argv.slice(2);
  const { createLogger, extract, HeadwaterError, sinks } = headwater;
  const { defineFunction, textAt } = components;

  const shout = defineFunction({
    name: 'shout',
    summary: 'A string in capitals.',
    use: 'An API that hears nothing else.',
    rules: [],
    arguments: [{ name: 'text', about: 'The string.' }],
    result: 'The string in capitals.',
    examples: [{ args: ['a'], result: 'A' }],
    call: (args) => textAt(args, 0).toUpperCase(),
  });
  const loud = { function: 'shout', args: [{ function: 'regex', args: ['so loud', 'so (.*)'] }] };
  const configuration = {
    api: { baseUrl: url, http: { cookies: true }, pagination: { method: 'offset', limit: 2 } },
    config: {
      jobs: [
        { endpoint: 'stations', dataField: "$['stations']", params: { q: loud } },
        { method: 'graphql', query: RIVERS, dataField: 'data.rivers' },
      ],
    },
  };

  /** The code of the error that some work ends with. */
  const codeOf = async (work) => {
    try {
      await work();
      return undefined;
    } catch (error) {
      return error instanceof HeadwaterError ? error.code : String(error);
    }
  };

  // What is optional says how to get it; a bundle does not have it either.
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const sshProxy = { host: '127.0.0.1', port: 1, user: 'me', '#privateKey': key };
  const tunnelled = extract({ ...configuration, sshProxy }, { components: [shout] });
  assert.equal(await codeOf(() => sinks.duckdb('items.duckdb')([]).open()), 'PACKAGE_MISSING');
  assert.equal(await codeOf(() => sinks.postgres('postgres://127.0.0.1/db')([]).open()), 'PACKAGE_MISSING');
  assert.equal(await codeOf(() => rxjs.firstValueFrom(tunnelled.items$)), 'PACKAGE_MISSING');
  createLogger({ level: 'error', format: 'text' }).info('Not shown');

  const { items$ } = extract(configuration, { components: [shout] });
  const { signal } = new AbortController();
  const items = await rxjs.lastValueFrom(items$.pipe(operators.untilAborted(signal), rxjs.toArray()));
  const ids = items.map(({ id }) => id);
  assert.deepEqual(ids, ['A1', 'B2', 'C3', 'D4', 'E5', 'Ald']);
  assert.equal(testing.pageOf('stations', [{ id: 1 }]).count, 1);
  console.log(`${ids.length - 1} stations: ${ids.slice(0, -1).join(' ')}`);
};
