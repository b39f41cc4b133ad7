import { registerSecrets } from '../../../src/auth/login/source';
import { Secrets } from '../../../src/core/secrets/secrets';

const never = () => {
  throw new Error('not asked for');
};

describe('language 1.4: what a login gives is not printed', () => {
  const secrets = new Secrets();
  const content = {
    token: 'abcd',
    user: { id: 123456, name: 'é9' },
    big: 9007199254740993n,
    ends: 1700000000,
    token_type: 'special',
    expires_in: 3600,
    kind: 'Bearer',
    open: true,
  };
  registerSecrets(
    secrets,
    { content, headers: { 'x-subject-token': 'Bearer h3ad3r', 'x-kept': 'k3pt', server: 'nginx-17' } },
    {
      expires: { kind: 'response', path: 'ends', relative: false },
      secretPlaces: ['token', { responseHeader: 'X-Subject-Token' }],
      kept: { login: '', places: { refresh: { responseHeader: 'X-Kept' } }, request: never, values: never },
    },
  );

  it.each(['abcd', '123456', '9007199254740993', 'Bearer h3ad3r', 'h3ad3r', 'k3pt'])('%s is a secret', (value) => {
    expect(secrets.mask(`<${value}>`)).toBe('<***>');
  });

  it.each(['é9', '1700000000', 'special', '3600', 'Bearer', 'bearer', '1', 'nginx-17'])('%s is none', (value) => {
    expect(secrets.mask(`<${value}>`)).toBe(`<${value}>`);
  });
});
