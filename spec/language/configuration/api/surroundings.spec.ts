import { accepted, configuration, faults } from '../support';

const beside = (more: Record<string, unknown>) => configuration({}, {}, more);

describe('sshProxy', () => {
  const proxy = { host: 'h', port: '22', user: 'u', '#privateKey': 'k' };

  it('language 1.7: takes its four fields', () => {
    expect(accepted(beside({ sshProxy: proxy })).sshProxy).toEqual({ host: 'h', port: 22, user: 'u', privateKey: 'k' });
    expect(accepted(beside({ sshProxy: [] }))).not.toHaveProperty('sshProxy');
  });

  it('language 1.7: all are required', () => {
    expect(faults(beside({ sshProxy: { host: '', port: 0, x: 1 } }))).toEqual([
      'sshProxy.host: required: the host of the SSH proxy',
      'sshProxy.port: required: the port of the SSH proxy',
      'sshProxy.user: required: the user of the SSH proxy',
      'sshProxy.#privateKey: required: the private key for the SSH proxy',
    ]);
    expect(faults(beside({ sshProxy: { ...proxy, port: 70_000 } }))).toEqual([
      'sshProxy.port: expected an integer from 1 to 65535, found 70000',
    ]);
  });
});

describe('aws', () => {
  it('language 4.9: takes the credentials of the signature', () => {
    const credentials = { accessKeyId: 'a', '#secretKey': 's', serviceName: 'n', regionName: 'r' };
    expect(accepted(beside({ aws: { signature: { credentials } } })).aws).toEqual({
      accessKeyId: 'a',
      secretKey: 's',
      serviceName: 'n',
      regionName: 'r',
    });
    expect(accepted(beside({ aws: null }))).not.toHaveProperty('aws');
  });

  it('language 4.9: no field may be blank', () => {
    const place = 'aws.signature.credentials';
    expect(faults(beside({ aws: { signature: { credentials: { accessKeyId: 'a', '#secretKey': '' } } } }))).toEqual([
      `${place}.#secretKey: required: the secret AWS key`,
      `${place}.serviceName: required: the AWS service, for example "execute-api"`,
      `${place}.regionName: required: the AWS region, for example "eu-west-1"`,
    ]);
  });
});

describe('cache', () => {
  it.each([
    [true, 604_800],
    [{ ttl: '60' }, 60],
    [{ ttl: null }, 604_800],
  ])('language 1.8: %j keeps responses for %d seconds', (cache, ttlSeconds) => {
    expect(accepted(beside({ cache })).cache).toEqual({ ttlSeconds });
  });

  it.each([undefined, null, false, [], {}])('language 1.8: %j is no cache', (cache) => {
    expect(accepted(beside({ cache }))).not.toHaveProperty('cache');
  });

  it('language 1.8: refuses a lifetime that is no number', () => {
    expect(faults(beside({ cache: { ttl: 'long' } }))).toEqual([
      'cache.ttl: expected a number, found a string of 4 characters',
    ]);
  });
});

describe('image_parameters.allowed_hosts', () => {
  const allowed = (entries: unknown) => beside({ image_parameters: { allowed_hosts: entries, other: 1 } });

  it('language 1.6: takes entries; null fields are absent, slashes around the endpoint go', () => {
    const entries = [
      { host: 'a', scheme: null, port: null },
      { host: 'b', scheme: 'https', port: '8443', endpoint: '/api/' },
    ];
    expect(accepted(allowed(entries)).requestableHosts).toEqual([
      { host: 'a' },
      { host: 'b', scheme: 'https', port: 8443, endpoint: 'api' },
    ]);
    expect(accepted(allowed([{ host: 'a', endpoint: '/' }])).requestableHosts).toEqual([{ host: 'a' }]);
    expect(accepted(allowed(entries)).warnings).toEqual([]);
  });

  it('language 1.6: host is required', () => {
    expect(faults(allowed([{ scheme: 'https' }]))).toEqual([
      'image_parameters.allowed_hosts[0].host: required: the host that may be called',
    ]);
    expect(faults(allowed('h'))).toEqual([
      'image_parameters.allowed_hosts: expected an array, found a string of 1 character',
    ]);
  });
});
