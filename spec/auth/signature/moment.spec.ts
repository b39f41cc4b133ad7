import { momentOf, timestampAs } from '../../../src/auth/signature/moment';

describe('the moment of a signature', () => {
  it.each([
    ['seconds', '1767225599'],
    ['milliseconds', '1767225599999'],
    ['iso', '2025-12-31T23:59:59.999Z'],
    ['httpdate', 'Wed, 31 Dec 2025 23:59:59 GMT'],
  ] as const)('%s: %s', (form, text) => {
    expect(timestampAs(form, 1_767_225_599_999)).toBe(text);
  });

  it('a nonce is hexadecimal or a UUID, and never the same', () => {
    const nonces = (['hex', 'hex', 'uuid'] as const).map((nonce) => momentOf({ timestamp: 'seconds', nonce }).nonce);
    expect(nonces).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}$/),
      expect.stringMatching(/^[0-9a-f]{32}$/),
      expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    ]);
    expect(new Set(nonces).size).toBe(3);
  });
});
