import { FatalError } from '../../../src/core/errors/errors';
import { networkFailure } from '../../../src/http/transport/network-failure';
import { aRequest, secretsOf } from '../../support/requests';

const coded = (code: string, more: object = {}): Error => Object.assign(new Error('it failed'), { code, ...more });
const failure = (error: unknown, stage: 'waiting' | 'receiving' = 'waiting') =>
  networkFailure(error, stage, aRequest(), secretsOf());

describe('language 2.7: codes of network failures', () => {
  it.each([
    [6, ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL']],
    [7, ['ECONNREFUSED', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL']],
    [7, ['SSH_CONNECT_FAILED']],
    [28, ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']],
    [35, ['EPROTO', 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'ERR_TLS_HANDSHAKE_TIMEOUT']],
    [52, ['UND_ERR_SOCKET']],
    [56, ['ECONNRESET', 'EPIPE', 'ECONNABORTED']],
    [60, ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REVOKED', 'DEPTH_ZERO_SELF_SIGNED_CERT']],
    [60, ['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY']],
    [60, ['ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH', 'INVALID_CA']],
  ])('%i: %j', (curlCode, codes) => {
    for (const code of codes) {
      const error = failure(coded(code));
      expect(error).toMatchObject({ curlCode, recovery: 'retry' });
      expect(error.message).toMatch(/ api\.example(:443)?( broke)? \(GET https:\/\/api\.example\/items\): /);
      expect(error.message).not.toMatch(/curl/i);
      expect(error).toMatchObject({ method: 'GET', url: 'https://api.example/items' });
      expect(error.message).toContain(`(${code})`);
    }
  });

  it('a server that asks for a client certificate is 35, and the message names the setting', () => {
    const error = failure(coded('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'));
    expect(error).toMatchObject({ code: 'NETWORK_TLS', curlCode: 35 });
    expect(error.message).toContain('api.#clientCertificate');
  });

  it('language 1.7: an error that says what went wrong stays as it is', () => {
    const error = new FatalError('SSH_TUNNEL', 'Unable to create ssh tunnel.');
    expect(failure(error)).toBe(error);
  });

  it('a connection that closes is 52 before the response and 56 within it', () => {
    expect(failure(coded('UND_ERR_SOCKET'), 'waiting')).toMatchObject({ curlCode: 52 });
    expect(failure(coded('UND_ERR_SOCKET'), 'receiving')).toMatchObject({ curlCode: 56 });
  });

  it('a reset is 56 when a system call met it, 35 when the TLS handshake did', () => {
    expect(failure(coded('ECONNRESET', { syscall: 'read', host: 'h' }))).toMatchObject({ curlCode: 56 });
    expect(failure(coded('ECONNRESET', { host: 'h' }))).toMatchObject({ curlCode: 35 });
  });

  it('looks for the code in the causes', () => {
    const error = new TypeError('fetch failed', { cause: new Error('deeper', { cause: coded('ECONNREFUSED') }) });
    expect(failure(error)).toMatchObject({ curlCode: 7, cause: error });
  });

  it.each([[coded('HPE_INVALID_CONSTANT')], [new Error('no code')], ['no error'], [null], [{ code: 7 }]])(
    'anything else is fatal: %p',
    (error) => {
      expect(failure(error)).toMatchObject({ code: 'NETWORK_PROTOCOL', recovery: 'fatal' });
    },
  );
});
