import { ENDS, HARMLESS, doubtful, refused } from '../fault';
import type { FaultGroup } from '../fault';
import { halfOf, whole } from '../support/wire';

const BOM = '\ufeff';
const HTML = '<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>';
const asHtml = whole(HTML, [['Content-Type', 'text/html']]);
/** In the middle of the first text of a body: of an item, or of the token. */
const withByte = (body: string, byte: number): Buffer => {
  const at = Math.max(body.indexOf('item 2'), body.indexOf('the-token')) + 2;
  return Buffer.concat([Buffer.from(body.slice(0, at)), Buffer.from([byte]), Buffer.from(body.slice(at))]);
};

export const bodies: FaultGroup = {
  title: 'Bodies',
  pagings: 'all',
  intro:
    'What arrives in good order and is not what was asked for. An empty body ends pagination, as the specification says; a login must say something.',
  faults: [
    {
      does: 'sends JSON that is cut, with a Content-Length that fits',
      wire: ({ body }) => whole(halfOf(body)),
      page: refused('API_NOT_JSON'),
    },
    {
      does: 'sends JSON with a comma too many',
      wire: ({ body }) => whole(body.replace(/\}$/, ',}')),
      page: refused('API_NOT_JSON'),
    },
    { does: 'sends two JSON documents', wire: ({ body }) => whole(body + body), page: refused('API_NOT_JSON') },
    {
      does: 'sends NaN',
      wire: ({ body }) => whole(body.replace(/\}$/, ',"rate":NaN}')),
      page: refused('API_NOT_JSON'),
    },
    {
      does: 'sends Infinity',
      wire: ({ body }) => whole(body.replace(/\}$/, ',"rate":-Infinity}')),
      page: refused('API_NOT_JSON'),
    },
    {
      does: 'sends single quotes',
      wire: ({ body }) => whole(body.replaceAll('"', "'")),
      page: refused('API_NOT_JSON'),
    },
    {
      does: 'sends a comment within JSON',
      wire: ({ body }) => whole(body.replace(/\}$/, '/* end */}')),
      page: refused('API_NOT_JSON'),
    },
    { does: 'sends a byte order mark before JSON', wire: ({ body }) => whole(BOM + body), page: HARMLESS },
    {
      does: 'sends JSON in UTF-16',
      wire: ({ body }) => whole(Buffer.from(BOM + body, 'utf16le')),
      page: HARMLESS,
    },
    {
      does: 'sends a byte that is no UTF-8',
      wire: ({ body }) => whole(withByte(body, 0xff)),
      page: refused('API_NOT_JSON'),
    },
    {
      does: 'sends a control character within a string',
      wire: ({ body }) => whole(withByte(body, 0x01)),
      page: refused('API_NOT_JSON'),
    },
    {
      does: 'names a key twice',
      wire: ({ body }) => whole(body.replace(/^\{/, '{"items":[{"id":"first"}],"token":"first",')),
      page: HARMLESS,
    },
    {
      does: 'sends a value that is nested 100,000 deep',
      wire: ({ body }) => whole(body.replace(/\}$/, `,"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)),
      page: refused('API_NOT_JSON'),
    },
    { does: 'sends a web page with status 200', wire: () => asHtml, page: refused('API_NOT_JSON') },
    { does: 'sends a web page and says that it is JSON', wire: () => whole(HTML), page: refused('API_NOT_JSON') },
    { does: 'sends a sentence', wire: () => whole('Service is starting'), page: refused('API_NOT_JSON') },
    {
      does: 'sends a JSON string at first',
      wire: () => whole('"try again"'),
      page: doubtful('API_MESSAGE'),
      login: refused('EXPRESSION_FAILED'),
      places: ['first', 'login'],
    },
    {
      does: 'sends a JSON string after pages of lists',
      wire: () => whole('"try again"'),
      page: doubtful('API_MESSAGE'),
      places: ['middle'],
    },
    {
      does: 'sends an empty JSON string at first',
      wire: () => whole('""'),
      page: ENDS,
      login: refused('EXPRESSION_FAILED'),
      places: ['first', 'login'],
    },
    {
      does: 'sends an empty JSON string after pages of lists',
      wire: () => whole('""'),
      page: doubtful('LIST_MISSING'),
      places: ['middle'],
    },
    {
      does: 'sends `null` at first',
      wire: () => whole('null'),
      page: ENDS,
      login: refused('LOGIN_RESPONSE'),
      places: ['first', 'login'],
    },
    {
      does: 'sends `false` at first',
      wire: () => whole('false'),
      page: ENDS,
      login: refused('EXPRESSION_FAILED'),
      places: ['first', 'login'],
    },
    {
      does: 'sends `null` after pages of lists',
      wire: () => whole('null'),
      page: doubtful('LIST_MISSING'),
      places: ['middle'],
    },
    {
      does: 'sends `false` after pages of lists',
      wire: () => whole('false'),
      page: doubtful('LIST_MISSING'),
      places: ['middle'],
    },
    {
      does: 'sends an object without the list that says it is an error, at first',
      wire: () => whole('{"error":"try again"}'),
      page: refused('INCOMPLETE'),
      login: refused('EXPRESSION_FAILED'),
      places: ['first', 'login'],
    },
    {
      does: 'sends an object without the list that says it is an error, after pages of lists',
      wire: () => whole('{"error":"try again"}'),
      page: refused('INCOMPLETE'),
      places: ['middle'],
    },
    {
      does: 'sends an object without the list, as some do for an empty one',
      wire: () => whole('{"kind":"list"}'),
      page: ENDS,
      login: refused('EXPRESSION_FAILED'),
    },
    { does: 'sends an empty body', wire: () => whole(''), page: ENDS, login: refused('EXPRESSION_FAILED') },
    { does: 'sends blanks', wire: () => whole(' \r\n\t '), page: ENDS, login: refused('EXPRESSION_FAILED') },
    { does: 'answers 204', wire: () => whole('', [], 204), page: ENDS, login: refused('EXPRESSION_FAILED') },
    {
      does: 'sends a number where the list was',
      wire: () => whole('{"items":17,"next":null}'),
      page: refused('API_SHAPE'),
      places: ['middle'],
    },
    {
      does: 'sends a string where the list was',
      wire: () => whole('{"items":"none","next":null}'),
      page: ENDS,
      places: ['middle'],
    },
  ],
};
