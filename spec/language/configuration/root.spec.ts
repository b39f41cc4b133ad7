import { accepted, configuration, faults, warnings } from './support';

describe('the root', () => {
  it('language 1.2: reads the wrapped and the bare form alike', () => {
    const beside = { iterations: [{}], cache: true };
    const wrapped = { parameters: configuration({}, {}, beside), image_parameters: { allowed_hosts: [{ host: 'h' }] } };
    const bare = configuration({}, {}, { ...beside, image_parameters: { allowed_hosts: [{ host: 'h' }] } });
    expect(accepted(wrapped)).toEqual(accepted(bare));
    expect(accepted(bare)).toMatchObject({
      cache: { ttlSeconds: 604_800 },
      requestableHosts: [{ host: 'h' }],
      warnings: [],
    });
  });

  it('language 1.2: paths have no prefix in the wrapped form', () => {
    const wrapped = { parameters: configuration({ baseUrl: 'ftp://h' }) };
    expect(faults(wrapped)).toEqual(faults(configuration({ baseUrl: 'ftp://h' })));
    expect(faults(wrapped)[0]).toMatch(/^api\.baseUrl: expected a valid URL/);
  });

  it.each([undefined, null, {}, [], '', 0, false])(
    'language 1.2: api and config are required; %j is absent',
    (blank) => {
      expect(faults({ api: blank, config: blank })).toEqual([
        'api: required: the "api" section, which describes the remote API',
        'config: required: the "config" section, which says what to extract',
      ]);
    },
  );

  it('language 1.2: faults of one section are reported when the other is missing', () => {
    expect(faults({ config: { jobs: [{}] } })).toEqual([
      'config.jobs[0].endpoint: required: the path or URL that the job requests',
      'api: required: the "api" section, which describes the remote API',
    ]);
  });

  it('language 1.2: sections must be objects', () => {
    expect(faults({ parameters: 'x' })).toEqual(['parameters: expected an object, found a string of 1 character']);
    expect(faults({ api: 'x', config: 5 })).toEqual([
      'api: expected an object, found a string of 1 character',
      'config: expected an object, found 5',
    ]);
  });

  it.each([undefined, null, '', 'run'])('language 1.2: action %j runs', (action) => {
    expect(faults(configuration({}, {}, { action }))).toEqual([]);
  });

  it('language 1.2: refuses other actions', () => {
    expect(faults(configuration({}, {}, { action: 'getKeys' }))).toEqual([
      'action: expected one of run, found a string of 7 characters',
    ]);
  });

  it('language 1.2: warns about unknown keys, and about keys on the wrong side of "parameters"', () => {
    expect(warnings(configuration({}, {}, { processors: {}, iteration: [] }))).toEqual([
      'processors: has no effect: unknown key',
      'iteration: has no effect: unknown key; did you mean "iterations"?',
    ]);
    const wrapped = { parameters: { ...configuration(), action: 'run' }, cache: true };
    expect(warnings(wrapped)).toEqual([
      'action: has no effect here; it belongs beside "parameters"',
      'cache: has no effect here; it belongs inside "parameters"',
    ]);
  });
});

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
