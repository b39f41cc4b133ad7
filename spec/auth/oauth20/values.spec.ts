import { compileOauth20 } from '../../../src/auth/oauth20';
import { BUILT_IN } from '../../../src/run/built-in-parts';
import { requestContexts } from '../../../src/auth/per-request';
import { flatten } from '../../../src/core/json/objects';
import type { JsonObject } from '../../../src/core/model';
import { aRequest } from '../../support/requests';

describe('language 4.7: oauth20, compiled', () => {
  /** Of an API that wants a MAC over the request. */
  const mac = {
    function: 'concat',
    args: [
      { authorization: 'data.access_token' },
      '|',
      {
        function: 'md5',
        args: [
          {
            function: 'hash_hmac',
            args: [
              'sha256',
              {
                function: 'implode',
                args: [
                  '\n',
                  [
                    { authorization: 'timestamp' },
                    { authorization: 'nonce' },
                    { request: 'method' },
                    { request: 'resource' },
                    { request: 'hostname' },
                    { request: 'port' },
                    '\n',
                  ],
                ],
              },
              { authorization: 'data.mac_secret' },
            ],
          },
        ],
      },
    ],
  };
  const data = flatten({ access_token: 'testToken', mac_secret: 'iAreSoSecret123' }, 'data');
  const compiled = (written: { readonly headers: JsonObject; readonly query: JsonObject }) => {
    const result = compileOauth20(written, data, 'a', { functions: BUILT_IN.function });
    if (result._tag === 'Left') throw new Error(JSON.stringify(result.left));
    return result.right;
  };

  it('gives the header of a recorded exchange, and says that it is secret', () => {
    const values = compiled({ headers: { Authorization: mac }, query: {} });
    const request = aRequest({ url: 'http://mock-server:80/104-oauth2-hmac/users' });
    const attempt = { nonce: '605cce2a2f687253', timestamp: 1492958193 };
    const header = 'testToken|ae96f93def8f02770f30e858e074b2a7';
    expect(values(requestContexts(request), attempt)).toEqual({
      headers: { authorization: header },
      query: [],
      secrets: [header],
    });
  });

  it('language 4.4: what comes out of an expression has to be a scalar', () => {
    const values = compiled({ headers: {}, query: { a: { function: 'ifempty', args: [[1], 2] } } });
    expect(() => values(requestContexts(aRequest()), { nonce: 'n', timestamp: 0 })).toThrow(
      'api.authentication.query.a: expected a string or a number, found array',
    );
  });
});
