import { json } from '../support/answers';
import type { Answer } from '../support/answers';
import type { ReceivedRequest } from '../support/api-server';
import { header, oauth, useRunner } from './support';

const { run, failure } = useRunner();

describe('language 4.8: oauth20.login', () => {
  const authentication = {
    type: 'oauth20.login',
    loginRequest: {
      endpoint: 'token',
      method: 'FORM',
      params: {
        client_id: { consumer: 'client_id' },
        client_secret: { consumer: 'client_secret' },
        refresh_token: { user: 'tokens.0' },
        scope: { attr: 'scope' },
      },
      headers: { 'X-Proof': { function: 'sha1', args: [{ user: 'tokens.0' }] } },
    },
    apiRequest: { headers: { Authorization: { response: 'access_token' } }, query: { scope: { attr: 'scope' } } },
  };
  const root = oauth('{"tokens":["refresh-me"]}');
  const api = ({ url }: ReceivedRequest): Answer => json(url === '/token' ? { access_token: 'access-1' } : [1]);

  it('the login has the contexts consumer, user and attr; the rest is as with login', async () => {
    const { requests } = await run({ authentication, root, config: { scope: 'all' } }, api);
    expect(requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/token', 'client_id=client-1&client_secret=app-secret&refresh_token=refresh-me&scope=all'],
      ['GET', '/items?scope=all', ''],
    ]);
    expect(header(requests)).toEqual([undefined, 'access-1']);
  });

  it('what is computed from user and from the client secret is never printed', async () => {
    const message = await failure({ authentication, root, config: { scope: 'all' } }, ({ headers, body }) =>
      json({ proof: headers['x-proof'], body }, 400),
    );
    expect(message).toContain('"proof":"***"');
    expect(message).toContain('client_id=client-1&client_secret=***&refresh_token=***&scope=all');
  });
});
