import { isTokenForm, looksLikeToken } from '../../../src/core/secrets/values';

describe('looksLikeToken: what a value says of itself', () => {
  it.each([
    '8f3e9c1ab2774d0fa1b2c3d4e5f60718',
    'kT3vQ9-xL0aZr7_mW2sYb8Nc',
    'sk_live_abcdefghijkl',
    'SG.abc.8f3e9c1ab2774d0',
  ])('%s: a token', (value) => {
    expect(looksLikeToken(value)).toBe(true);
  });

  it.each([
    '',
    'north',
    'global-fishing-watch-2',
    '550e8400-e29b-41d4-a716-446655440000',
    'sk_live',
    '2026-01-02T03:04:05Z',
  ])('%s: none', (value) => {
    expect(looksLikeToken(value)).toBe(false);
  });

  it('knows the form of tokens without a look at how random they are', () => {
    expect(isTokenForm('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln')).toBe(true);
    expect(isTokenForm('8f3e9c1ab2774d0fa1b2c3d4e5f60718')).toBe(false);
  });
});
