import type { ContextName } from '../../../src/language/expressions/expression';
import { isSecret } from '../../../src/language/expressions/syntax';

describe('what refers to a secret', () => {
  it.each<[string, ContextName, string, boolean]>([
    ['1.4', 'attr', 'server.#key.0', true],
    ['1.4', 'attr', 'key#', false],
    ['4.7', 'authorization', 'data', true],
    ['4.7', 'authorization', 'data.access_token', true],
    ['4.7', 'authorization', 'clientId', false],
    ['4.7', 'authorization', 'nonce', false],
    ['4.7', 'authorization', 'timestamp', false],
    ['4.8', 'consumer', 'client_secret', true],
    ['4.8', 'consumer', 'client_id', false],
    ['4.8', 'user', 'refresh_token', true],
    ['7.1', 'request', 'url', false],
  ])('language %s: %s %s: %p', (_, context, name, expected) => {
    expect(isSecret({ kind: 'reference', path: 'p', context, name })).toBe(expected);
  });
});
