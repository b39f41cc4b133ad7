import { lastValueFrom } from 'rxjs';
import { extract, preview } from '../../src';
import type { Har } from '../../src';

const TOKEN = 'gho_16C7e42F292c6912E7';
const answering =
  (body: string, type: string) =>
  (input: string | URL | Request): Promise<Response> => {
    const { pathname } = new URL(String(input instanceof Request ? input.url : input));
    return Promise.resolve(
      pathname === '/token' ? new Response(body, { headers: { 'content-type': type } }) : Response.json([{ id: 1 }]),
    );
  };
const config = {
  api: {
    baseUrl: 'https://api.example/',
    authentication: { type: 'oauth2', tokenEndpoint: 'token' },
    retryConfig: { maxRetries: 0 },
  },
  config: { clientId: 'c', '#clientSecret': 'sssssss', jobs: [{ endpoint: 'items' }] },
};

describe('the token of a login is neither recorded nor shown', () => {
  it.each([
    ['a form', `access_token=${TOKEN}&scope=repo&token_type=bearer`, 'application/x-www-form-urlencoded'],
    ['plain text', TOKEN, 'text/plain'],
    ['a page', `<html><body>${TOKEN}</body></html>`, 'text/html'],
    ['JSON with a raw line break', `{"access_token":"${TOKEN}\r\nX-Evil: 1"}`, 'application/json'],
    ['JSON with a line break', `{"access_token":"${TOKEN}\\r\\nX-Evil: 1"}`, 'application/json'],
    ['a list', `["${TOKEN}"]`, 'application/json'],
    ['good JSON', `{"access_token":"${TOKEN}","token_type":"bearer"}`, 'application/json'],
  ])('%s', async (_, body, type) => {
    const fetch = answering(body, type);
    let recording: Har | undefined;
    const { items$ } = extract(config, { fetch, record: (har) => (recording = har) });
    const message = await lastValueFrom(items$).then(String, String);
    const texts = [message, JSON.stringify(recording), JSON.stringify(await preview(config, { fetch }))];
    expect(texts[1]).toContain('https://api.example/token');
    for (const text of texts) expect(text).not.toContain(TOKEN.slice(0, 8));
  });
});
