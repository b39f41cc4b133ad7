import { json } from '../support/answers';
import { header, useRunner } from './support';

const { run, failure, server } = useRunner();

describe('language 4.2: basic', () => {
  const authentication = { type: 'basic' };
  const paging = { pagination: { method: 'offset', limit: 1 } };

  it('every request carries the header', async () => {
    const { requests } = await run(
      { authentication, api: paging, config: { username: 'Jöhn', '#password': 's:ecret' } },
      ({ url }) => json(url.includes('offset=0') ? [1] : []),
    );
    const expected = `Basic ${Buffer.from('Jöhn:s:ecret').toString('base64')}`;
    expect(header(requests)).toEqual([expected, expected]);
  });

  it('language 2.5: it takes the place of a header of lower layers and of a user name in the URL', async () => {
    const { requests } = await run({
      authentication,
      config: { username: 'u', password: 'p' },
      job: { headers: { Authorization: 'mine' } },
      userinfo: 'other:pw@',
    });
    expect(header(requests)).toEqual([`Basic ${Buffer.from('u:p').toString('base64')}`]);
  });

  it('a 401 is an answer like any other: the request is not repeated', async () => {
    await expect(
      run({ authentication, config: { username: 'u', password: 'p' } }, () => json({}, 401)),
    ).rejects.toMatchObject({ code: 'API_STATUS' });
    expect(server().requests).toHaveLength(1);
  });

  it('a password without `#`, and the header, are never printed', async () => {
    const header64 = Buffer.from('someone:pass-word').toString('base64');
    const message = await failure(
      { authentication, config: { username: 'someone', password: 'pass-word' } },
      ({ headers }) => json({ seen: headers.authorization, password: 'pass-word' }, 400),
    );
    expect(message).toContain('"seen":"Basic ***"');
    expect(message).not.toContain(header64);
    expect(message).not.toContain('pass-word');
  });
});
