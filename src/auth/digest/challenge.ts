/** A challenge that digest authentication can answer (RFC 7616 section 3.3). */
export interface Challenge {
  readonly realm: string;
  readonly nonce: string;
  readonly algorithm: 'MD5' | 'SHA-256';
  /** The key includes the first nonces (`-sess`) if this is true. */
  readonly isSession: boolean;
  /** The algorithm as the server spells it; absent: it names none. */
  readonly spelled?: string;
  readonly opaque?: string;
  /** Absent: the server is one of RFC 2069, without counts of nonces. */
  readonly qop?: 'auth';
  /** The user name is sent as a hash if this is true. */
  readonly userhash: boolean;
}

const PARAMETER = /[\s,]*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/y;
const SCHEME = /[\s,]*([\w-]+)(?=\s|,|$)/y;
/** Whatever is neither, such as the token of another scheme. */
const OTHER = /[\s,]*[^\s,]+/y;

interface Written {
  readonly scheme: string;
  readonly parameters: Map<string, string>;
}

/**
 * The strongest digest challenge in the headers `WWW-Authenticate` of a response.
 *
 * @returns `undefined` when there is none that can be answered: MD5 or SHA-256, with `qop` `auth` or none
 * @example challengeIn(['Digest realm="r", nonce="n", qop="auth"'])?.algorithm // 'MD5'
 */
export function challengeIn(headers: readonly string[]): Challenge | undefined {
  const found = headers.flatMap(challengesOf).flatMap(asDigest);
  return found.find(({ algorithm }) => algorithm === 'SHA-256') ?? found[0];
}

/** One header may hold several challenges, of several schemes. */
function challengesOf(header: string): readonly Written[] {
  const found: Written[] = [];
  let at = 0;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(header);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  while (at < header.length) {
    const parameter = next(PARAMETER);
    if (parameter !== null) {
      const [, name = '', quoted, token = ''] = parameter;
      found.at(-1)?.parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? token);
      continue;
    }
    const scheme = next(SCHEME)?.[1];
    if (scheme !== undefined) found.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
    else if (next(OTHER) === null) break;
  }
  return found;
}

function asDigest({ scheme, parameters }: Written): readonly Challenge[] {
  const realm = parameters.get('realm');
  const nonce = parameters.get('nonce');
  const spelled = parameters.get('algorithm');
  const [, name = '', session] = /^(MD5|SHA-256)(-SESS)?$/.exec((spelled ?? 'MD5').toUpperCase()) ?? [];
  const qop = parameters.get('qop');
  const isAuth = qop?.split(',').some((word) => word.trim().toLowerCase() === 'auth') ?? false;
  if (scheme !== 'digest' || realm === undefined || nonce === undefined) return [];
  if ((name !== 'MD5' && name !== 'SHA-256') || (qop !== undefined && !isAuth)) return [];
  const opaque = parameters.get('opaque');
  return [
    {
      realm,
      nonce,
      algorithm: name,
      isSession: session !== undefined,
      ...(spelled === undefined ? {} : { spelled }),
      ...(opaque === undefined ? {} : { opaque }),
      ...(isAuth ? { qop: 'auth' as const } : {}),
      userhash: parameters.get('userhash')?.toLowerCase() === 'true',
    },
  ];
}
