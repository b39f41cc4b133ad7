import type { Headers } from '../../core/model';

/**
 * What an API that refuses a request says of the credentials that it wants.
 *
 * @returns a part of a sentence
 * @example wantedCredentials({ 'www-authenticate': 'Basic realm="x"' }) // 'a name and a password (Basic)'
 */
export function wantedCredentials(headers: Headers): string | undefined {
  const challenge = [headers['www-authenticate'] ?? []].flat().join(', ');
  const kinds = [
    [/\bbasic\b/i, 'a name and a password (Basic): --user NAME:PASSWORD'],
    [/\bbearer\b/i, 'a token (Bearer): --bearer TOKEN'],
    [/\bdigest\b/i, 'a name and a password (Digest): write "digest" in api.authentication'],
    [/\bnegotiate\b|\bntlm\b/i, 'a login of a Windows domain, which Headwater does not know'],
  ] as const;
  const wanted = kinds.filter(([pattern]) => pattern.test(challenge)).map(([, words]) => words);
  return wanted.length === 0 ? undefined : wanted.join(', or ');
}
