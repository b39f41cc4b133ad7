import type { Request, Response } from '../core/model';
import type { Secrets } from '../core/secrets/secrets';

export interface CookieOptions {
  /** Returns whether credentials may be sent to a URL. */
  readonly getsCredentials: (url: string) => boolean;
  readonly secrets: Secrets;
}

export interface Cookies {
  /** Returns the request with the cookies for its address. */
  readonly added: (request: Request) => Promise<RequestWithCookies>;
  /** Empties the jars: some APIs refuse a login with the cookie of an ended session. */
  readonly forget: () => void;
  /** Returns whether a cookie is kept for a place that may receive credentials. */
  readonly hasTrusted: () => boolean;
  /** Returns the names of cookies that responses other than logins have deleted since the jars were emptied. */
  readonly dropped: () => ReadonlySet<string>;
  /** Returns how often responses have changed the cookies for requests like theirs. */
  readonly changes: () => number;
}

/** A request with the cookies of its jar. */
export interface RequestWithCookies {
  readonly request: Request;
  /** Keeps the cookies of the response in that jar; returns it with the names of those that it has replaced. */
  readonly kept: (response: Response) => Response;
}

/** The used members of a jar of tough-cookie. */
interface Jar {
  readonly serializeSync: () => { readonly cookies: readonly unknown[] } | undefined;
  readonly getCookiesSync: (url: string) => readonly { readonly key: string; readonly cookieString: () => string }[];
  readonly setCookieSync: (
    line: string,
    url: string,
    options: { readonly ignoreError: true },
  ) => { readonly value: string } | undefined;
}

/** The name of the jar for all places that may receive credentials. */
const TRUSTED = 'trusted';
/** The least length of a secret: shorter values, as in `lang=en`, would remove words from logs. */
const SECRET_LENGTH = 4;

/**
 * Keeps the cookies that responses set, and sends them with later requests, by RFC 6265
 * (docs/language/requests.md#cookies): one jar for all places that may receive credentials, and one for every other
 * origin, so that a cookie that an API has set for its whole domain is not sent to an untrusted host. The jars live as
 * long as this middleware. Redirects pass hop by hop.
 *
 * @example await cookies({ getsCredentials: (url) => mayReceiveCredentials(url, baseUrl, []), secrets }).added(request)
 */
export function cookies({ getsCredentials, secrets }: CookieOptions): Cookies {
  const jars = new Map<string, Jar>();
  const dropped = new Set<string>();
  let changes = 0;
  const added = async (request: Request): Promise<RequestWithCookies> => {
    const { CookieJar } = await import('tough-cookie');
    const place = getsCredentials(request.url) ? TRUSTED : new URL(request.url).origin;
    const jar = jars.get(place) ?? new CookieJar();
    jars.set(place, jar);
    return { request: withCookies(request, jar), kept: (response) => kept(response, request, jar) };
  };
  const kept = (response: Response, { url, purpose }: Request, jar: Jar): Response => {
    const changed = keep(response, url, jar, secrets);
    if (changed === undefined) return response;
    changes += 1;
    if (purpose.kind === 'login') return response;
    for (const name of changed.kept) dropped.delete(name);
    for (const name of changed.dropped) dropped.add(name);
    return changed.replaced.length === 0 ? response : { ...response, replacedCookies: changed.replaced };
  };
  return {
    added,
    forget: () => {
      jars.clear();
      dropped.clear();
    },
    hasTrusted: () => (jars.get(TRUSTED)?.serializeSync()?.cookies.length ?? 0) > 0,
    dropped: () => dropped,
    changes: () => changes,
  };
}

/** Returns the request with the cookies of the jar; these replace configured ones of the same name. */
function withCookies(request: Request, jar: Jar): Request {
  const kept = jar.getCookiesSync(request.url);
  if (kept.length === 0) return request;
  const names = new Set(kept.map(({ key }) => key));
  const written = [request.headers['cookie'] ?? []]
    .flat()
    .flatMap((line) => line.split(';').map((pair) => pair.trim()))
    .filter((pair) => pair !== '' && !names.has(pair.replace(/\s*=.*$/s, '')));
  const cookie = [...written, ...kept.map((each) => each.cookieString())].join('; ');
  return { ...request, headers: { ...request.headers, cookie } };
}

/** The names of the cookies that a response has changed. */
interface Changed {
  readonly dropped: readonly string[];
  /** The cookies that had another value before. */
  readonly replaced: readonly string[];
  /** All current cookies. */
  readonly kept: readonly string[];
}

/**
 * Stores the cookies of a response; returns the changes for the same request, or `undefined` if there are none. A
 * malformed cookie, or one for another domain, is ignored, as browsers do. One without a value counts as deleted.
 */
function keep(response: Response, url: string, jar: Jar, secrets: Secrets): Changed | undefined {
  const lines = [response.headers['set-cookie'] ?? []].flat();
  if (lines.length === 0) return undefined;
  const before = cookiesIn(jar, url);
  for (const line of lines) {
    const cookie = jar.setCookieSync(line, url, { ignoreError: true });
    if (cookie !== undefined && cookie.value.length >= SECRET_LENGTH) secrets.learn(cookie.value);
  }
  const after = cookiesIn(jar, url);
  if (textOf(before) === textOf(after)) return undefined;
  const has = (cookies: KeptCookies, name: string): boolean => (cookies.get(name) ?? `${name}=`) !== `${name}=`;
  const names = [...before.keys()].filter((name) => has(before, name));
  return {
    dropped: names.filter((name) => !has(after, name)),
    replaced: names.filter((name) => has(after, name) && before.get(name) !== after.get(name)),
    kept: [...after.keys()].filter((name) => has(after, name)),
  };
}

type KeptCookies = ReadonlyMap<string, string>;

/** Returns the cookies that are sent to a place, by name. */
const cookiesIn = (jar: Jar, url: string): KeptCookies =>
  new Map(jar.getCookiesSync(url).map((each) => [each.key, each.cookieString()]));

const textOf = (cookies: KeptCookies): string => [...cookies.values()].join('; ');
