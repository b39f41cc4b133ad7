const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
/** The machine itself, and what has an address in a private network: few of these have a certificate. */
const NEARBY =
  /^(?:localhost|[\w-]+\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|10(?:\.\d+){3}|192\.168(?:\.\d+){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d+){2}|\[::1\])(?=[:/?#]|$)/i;

/**
 * An address that a person may have written without its scheme: that of `https`; for the machine itself and private networks that of
 * `http`.
 *
 * @example writtenAddress('localhost:8000/ships') // 'http://localhost:8000/ships'
 */
export const writtenAddress = (text: string): string =>
  SCHEME.test(text) ? text : `${NEARBY.test(text) ? 'http' : 'https'}://${text}`;
