import { createHash, randomBytes } from 'node:crypto';
import type { TimedResponse } from '../../core/model';
import { overlayPairs, parseQuery, splitUrl, withQuery, type QueryPair } from '../../core/url/query';
import type { InteractiveRuntime } from '../../language/parts/authentication/authentication';
import { loginFailed, oauthErrorIn, refusedBy } from './login-failed';
import { listenForAnswer } from './loopback';

/** The requests of an authorization code grant. */
export interface CodeRequests {
  /** Where the person logs in. */
  readonly url: string;
  /** What the address has beside what this grant needs. */
  readonly params: readonly QueryPair[];
  readonly token: (values: {
    readonly code: string;
    readonly redirectUri: string;
    readonly verifier: string;
  }) => Promise<TimedResponse>;
}

const STATE_BYTES = 16;
/** 43 characters, the least that RFC 7636 has. */
const VERIFIER_BYTES = 32;

/**
 * Lets a person log in with a browser of this machine (RFC 6749 section 4.1, with PKCE): tells the address, waits for
 * the browser to come back to 127.0.0.1, and asks for tokens.
 *
 * @throws FatalError LOGIN_FAILED when the person denies it, or the port is taken
 */
export async function logInByCode(
  { url, params, token }: CodeRequests,
  { secrets, tell, signal, port }: Pick<InteractiveRuntime, 'secrets' | 'tell' | 'signal' | 'port'>,
): Promise<TimedResponse> {
  const state = randomBytes(STATE_BYTES).toString('base64url');
  const verifier = randomBytes(VERIFIER_BYTES).toString('base64url');
  secrets.learn(verifier);
  const loopback = await listenForAnswer({ port, state, signal, tell });
  try {
    const { redirectUri } = loopback;
    const own = [
      { name: 'response_type', value: 'code' },
      { name: 'redirect_uri', value: redirectUri },
      { name: 'state', value: state },
      { name: 'code_challenge', value: createHash('sha256').update(verifier).digest('base64url') },
      { name: 'code_challenge_method', value: 'S256' },
    ];
    const written = parseQuery(splitUrl(url).query);
    tell(
      `To log in, open this address in a browser of this machine:\n\n  ${withQuery(url, overlayPairs(overlayPairs(written, params), own))}\n`,
    );
    const answer = await loopback.answer;
    const error = answer.get('error');
    if (error !== null) throw refusedBy({ code: error, description: answer.get('error_description') ?? '' }, secrets);
    const code = answer.get('code') ?? '';
    if (code === '')
      throw loginFailed(
        'The server sent the browser back without a code. Check api.authentication.authorizationEndpoint.',
      );
    secrets.learn(code);
    const response = await token({ code, redirectUri, verifier });
    const refusal = oauthErrorIn(response);
    if (refusal !== undefined) throw refusedBy(refusal, secrets);
    return response;
  } finally {
    loopback.close();
  }
}
