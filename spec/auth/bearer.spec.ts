import { requestsOf } from '../../src';
import { json } from '../support/answers';
import { faultsOf, header, useRunner } from './support';

const { run, failure } = useRunner();

describe('bearer', () => {
  it('sends the token with each request, in place of another header and of a name in the URL', async () => {
    const { requests } = await run(
      {
        authentication: { type: 'bearer', token: { attr: '#token' } },
        config: { '#token': 'rb-71' },
        api: { pagination: { method: 'offset', limit: 1 } },
        job: { headers: { Authorization: 'mine' } },
        userinfo: 'other:pw@',
      },
      ({ url }) => json(url.includes('offset=0') ? [1] : []),
    );
    expect(header(requests)).toEqual(['Bearer rb-71', 'Bearer rb-71']);
  });

  it('takes another word before it, and a token that is written in place', async () => {
    const { requests } = await run({ authentication: { type: 'bearer', token: 'abc', scheme: 'Token' } });
    expect(header(requests)).toEqual(['Token abc']);
  });

  it('takes a token of the environment, as its manual says', () => {
    const config = {
      api: { baseUrl: 'https://api.example/', authentication: { type: 'bearer', token: { env: 'RIVER' } } },
      config: { jobs: [{ endpoint: 'a' }] },
    };
    const { jobs } = requestsOf(config, { env: { RIVER: 'rb-71' } });
    expect(jobs[0]?.requests[0]?.headers).toMatchObject({ authorization: '***' });
    expect(() => requestsOf(config, { env: {} })).toThrow('RIVER is not set');
  });

  it('never prints a token that is written in place', async () => {
    const message = await failure({ authentication: { type: 'bearer', token: 'plain-token' } }, ({ headers }) =>
      json({ seen: headers.authorization }, 400),
    );
    expect(message).toContain('"seen":"Bearer ***"');
  });

  it.each([
    ['no token', {}, {}, 'api.authentication.token: required'],
    ['an empty one', { token: '' }, {}, 'api.authentication.token:'],
    ['an empty attribute', { token: { attr: '#token' } }, { '#token': '' }, 'api.authentication.token:'],
    ['an attribute that is not there', { token: { attr: '#tokne' } }, { '#token': 'a' }, 'api.authentication.token'],
    ['a line break at its end', { token: { attr: '#token' } }, { '#token': 'abc\n' }, 'has a line break'],
    ['a misspelled option', { tokn: 'a' }, {}, 'api.authentication'],
  ])('%s is a fault before the first request', (_what, options, config, fault) => {
    const faults = faultsOf({ type: 'bearer', ...options }, config);
    expect(faults.join('\n')).toContain(fault);
    expect(faults.join('\n')).not.toContain('abc');
  });
});
