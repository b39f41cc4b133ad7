/** The parts of this folder as an application without TypeScript has them: a module for `--components`. */
const { createHmac } = require('node:crypto');
const { FatalError, parseJson, stringifyJson } = require('headwater');
const {
  collect,
  defineAuthentication,
  defineFunction,
  definePagination,
  defineSink,
  durableSink,
  exactValueAt,
  fileJournal,
  goOn,
  oneOf,
  perRequest,
  required,
  stop,
  string,
  text,
  textAt,
  valid,
  withDefault,
  withParams,
} = require('headwater/components');

exports.marker = definePagination({
  name: 'marker',
  summary: 'Asks for the items behind the last one, by its key.',
  use: 'The API sorts its items by a key of any kind, and takes the key of the last item.',
  answer: 'Any answer with an array of items, each of which has the key. An empty array is the end.',
  options: {
    key: withDefault(text, 'id', { about: 'The path in an item of its key.', example: 'name' }),
    param: required(text, 'the name of the parameter that carries the key', {
      about: 'The parameter of later requests that has the key of the last item.',
      example: 'after',
    }),
  },
  rules: ['The first request has no key.', 'Pagination ends at a page without items, or whose last item has no key.'],
  example: {
    about: 'Three rivers by name, two a page.',
    config: {
      api: { pagination: { method: 'marker', key: 'name', param: 'after' } },
      config: { jobs: [{ endpoint: 'rivers' }] },
    },
    exchanges: [
      { request: 'GET /rivers', response: [{ name: 'Ald' }, { name: 'Esk' }] },
      { request: 'GET /rivers?after=Esk', response: [] },
    ],
    items: [{ name: 'Ald' }, { name: 'Esk' }],
  },
  paginator: ({ key, param }, { params }) => {
    const first = { change: { params }, position: null };
    const behind = (last) => ({ change: { params: withParams(params, [[param, last]]) }, position: last });
    return {
      by: 'position',
      first,
      at: (position) => (position === null ? first : behind(position)),
      next: ({ items }) => {
        const last = exactValueAt(items.at(-1), key);
        return last === undefined || last === null ? stop('No further key, stopping scrolling.') : goOn(behind(last));
      },
    };
  },
});

exports.signatureOf = (algorithm, secret, method, path, time) =>
  createHmac(algorithm, secret).update([method, path, time].join('\n')).digest('hex');

exports.hmac = defineAuthentication({
  name: 'hmac',
  summary: 'Signs the method, the path and the time of each request by HMAC.',
  use: 'The API gives a key and a secret, and wants a signature in a header.',
  travels: 'The headers `X-Key`, `X-Time` and `X-Signature`, to the host of the base URL; never the secret.',
  options: {
    algorithm: withDefault(oneOf('HmacAlgorithm', ['sha256', 'sha512']), 'sha256', {
      about: 'The hash function of the signature.',
      example: 'sha512',
    }),
    header: withDefault(string, 'X-Signature', {
      about: 'The header that carries the signature.',
      example: 'X-Api-Signature',
    }),
  },
  needs: {
    'config.keyId': { about: 'The name of the key.', example: 'k1' },
    'config.#hmacSecret': { about: 'The secret that signs.', example: 'trout' },
  },
  rules: ['Signed are the method, the path with its query, and the time in milliseconds, one a line.'],
  example: {
    about: 'Time and signature differ each time.',
    config: {
      api: { authentication: { type: 'hmac' } },
      config: { keyId: 'k1', '#hmacSecret': 'trout', jobs: [{ endpoint: 'stations' }] },
    },
    exchanges: [{ request: 'GET /stations', response: [{ id: 1 }] }],
    items: [{ id: 1 }],
  },
  credentials: (around) => collect({ key: around.attribute('keyId'), secret: around.attribute('#hmacSecret') }),
  compile: ({ options: { algorithm, header }, credentials: { key, secret } }) =>
    valid({
      secrets: [secret],
      source: ({ secrets }) =>
        perRequest((request) => {
          const { pathname, search } = new URL(request.url);
          const time = String(Date.now());
          const signature = exports.signatureOf(algorithm, secret, request.method, pathname + search, time);
          secrets.learn(signature);
          const signed = { 'x-key': key, 'x-time': time, [header.toLowerCase()]: signature };
          return { ...request, headers: { ...request.headers, ...signed } };
        }),
    }),
});

exports.slug = defineFunction({
  name: 'slug',
  summary: 'A string as addresses have it: lower-case letters and digits, with hyphens between words.',
  use: 'The API names its resources by their titles.',
  arguments: [{ name: 'title', about: 'The string.' }],
  result: 'A string.',
  rules: [],
  examples: [{ args: ['Mill Weir'], result: 'mill-weir' }],
  call: (args) => textAt(args, 0).toLowerCase().replaceAll(' ', '-'),
});

const ask = async (url, options) => {
  const response = await fetch(url, options).catch((cause) => {
    throw new FatalError('DESTINATION_ADDRESS', `The server ${url} cannot be reached. Start it.`, { cause });
  });
  if (response.ok || response.status === 404) return response;
  throw new FatalError('SINK_FAILED', `The server ${url} took no more: it answered with ${response.status}.`);
};

exports.webhook = defineSink({
  kind: 'sink',
  name: 'webhook',
  summary: 'Pages as requests to a server, which shows them once the run is committed.',
  use: 'Choose it where a service of yours takes items over HTTP.',
  schemes: ['webhook'],
  address: ['webhook:URL'],
  example: 'webhook:http://127.0.0.1:8080',
  rules: ['A page has an id, so that the server stores it once, however often it comes.'],
  makes: 'messages',
  create: ({ rest: url }) => {
    const journal = fileJournal(process.env.WEBHOOK_FOLDER ?? '.webhook');
    return durableSink({
      name: `webhook:${url}`,
      makes: 'messages',
      journal,
      receipt: async () => {
        const response = await ask(`${url}/receipt`, {});
        return response.status === 404 ? undefined : parseJson(await response.text());
      },
      publish: async ({ manifest, state }) => {
        const rows = new Map();
        let number = 0;
        for await (const { dataType, lines, count } of journal.pages()) {
          const page = `${url}/pages/${manifest.id}/${number++}?table=${encodeURIComponent(dataType)}`;
          await ask(page, { method: 'POST', body: Buffer.from(lines).toString() });
          rows.set(dataType, (rows.get(dataType) ?? 0) + count);
        }
        await ask(`${url}/commit/${manifest.id}`, { method: 'POST', body: stringifyJson(state) });
        return Array.from(rows, ([name, count]) => ({ name, rows: count }));
      },
    });
  },
});
