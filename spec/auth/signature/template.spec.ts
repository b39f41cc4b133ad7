import { filled, namesKeyId, templateFault } from '../../../src/auth/signature/template';

const VALUES = { signature: '5a', timestamp: '7', nonce: 'n', keyId: '$&' };

describe('the template of a signature', () => {
  it('names signature, time, nonce and key, each as often as it likes', () => {
    const template = 'HMAC {keyId}:{signature};t={timestamp};n={nonce};{signature}';
    expect(filled(template, VALUES)).toBe('HMAC $&:5a;t=7;n=n;5a');
    expect(templateFault(template)).toBeUndefined();
    expect([template, '{signature}'].map(namesKeyId)).toEqual([true, false]);
  });

  it('has the signature, and no other names', () => {
    expect(templateFault('v1={signatur}')).toBe("has {…} with an unknown name. Did you mean 'signature'?");
    expect(templateFault('t={timestamp}')).toBe('has no {signature}: nothing would be signed');
  });
});
