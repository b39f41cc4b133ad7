import { requestsOf } from '../../../src';
import { writtenBody } from '../../../src/explore/detect/credentials';
import type { JsonObject, Json } from '../../../src';

/** What a run sends of a job with this body. */
const sent = (body: Json): Json => {
  const job = { endpoint: 'a', method: 'POST', body };
  const config = { api: { baseUrl: 'https://api.example/' }, config: { '#token': 'k7Qd9xZv', jobs: [job] } };
  const text = requestsOf(config, { env: { MYSECRET: 'mysecretvalue' } }).jobs[0]?.requests[0]?.body;
  return JSON.parse(text ?? 'null') as Json;
};

describe('the body of a foreign request is sent as it was', () => {
  it.each<readonly [string, JsonObject]>([
    ['a reference', { a: { env: 'MYSECRET' }, b: { file: '/etc/hostname' } }],
    ['a function', { a: { function: 'concat', args: [{ env: 'MYSECRET' }, { file: '/etc/hostname' }] } }],
    ['a function that there is not', { a: { function: 'file_get_contents', args: 'x' }, b: { function: 1 } }],
    ['contexts', { a: { attr: '#token' }, b: { time: 'currentStart' }, c: { response: 'x' }, d: { item: 'id' } }],
    ['other contexts', { a: { state: 'x' }, b: { window: 'start' }, c: { partition: 'p' }, d: { query: 'q' } }],
    ['at the root', { function: 'concat', args: [{ env: 'MYSECRET' }] }],
    ['at the root, a context', { attr: '#token' }],
    ['in lists', { a: [{ function: 'time' }, [{ attr: '#token' }]] }],
    ['in an object', { a: { b: { c: { time: 'now' } }, d: 1 } }],
    ['a literal', { a: { literal: { attr: '#token' } }, b: { literal: { env: 'X' } }, c: { literal: 1 } }],
    ['a literal of a literal', { a: { literal: { literal: { function: 'time' } } } }],
    ['comments', { a: { attr: '#token', '//': 'x' } }],
    ['what is like neither', { a: { times: 'now' }, b: { attr: 'x', c: 1 }, e: 'env' }],
  ])('%s', (_, body) => {
    expect(sent(writtenBody(body, []))).toEqual(body);
  });
});
