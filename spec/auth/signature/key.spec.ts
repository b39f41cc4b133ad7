import { keyBytes } from '../../../src/auth/signature/key';

describe('keyBytes', () => {
  it.each([
    ['s3cret', 'utf8', 's3cret'],
    ['733363726574', 'hex', 's3cret'],
    ['733363726574', 'utf8', '733363726574'],
    ['czNjcmV0', 'base64', 's3cret'],
    ['czNjcmV0MQ==', 'base64', 's3cret1'],
    ['czNjcmV0MQ', 'base64', 's3cret1'],
    [' czNjcmV0\n', 'base64', 's3cret'],
  ] as const)('%j in %s', (text, encoding, bytes) => {
    expect(keyBytes(text, encoding)?.toString()).toBe(bytes);
  });

  it.each([
    ['s3cret', 'hex'],
    ['733', 'hex'],
    ['not base 64', 'base64'],
    ['czNjcmV0!', 'base64'],
    ['', 'base64'],
  ] as const)('%j is not in %s', (text, encoding) => {
    expect(keyBytes(text, encoding)).toBeUndefined();
  });
});
