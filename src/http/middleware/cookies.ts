import { defer, from, map, mergeMap } from 'rxjs';
import type { Middleware, Request, Response } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';

export interface CookieOptions {
  /** Whether credentials may go to a URL. */
  readonly getsCredentials: (url: string) => boolean;
  readonly secrets: Secrets;
}

export interface Cookies {
  readonly middleware: Middleware;
  /** Empties the jars: some APIs refuse a login that has the cookie of a session which is over. */
  readonly forget: () => void;
  /** Whether a cookie is kept of a place that credentials may go to. */
  readonly hasTrusted: () => boolean;
  /** The names of cookies that responses have taken away since the jars were emptied, those to logins apart. */
  readonly dropped: () => ReadonlySet<string>;
  /** How often responses have changed what is sent with requests like theirs. */
  readonly changes: () => number;
}

/** What is used of a jar of tough-cookie. */
interface Jar {
  readonly serializeSync: () => { readonly cookies: readonly unknown[] } | undefined;
  readonly getCookiesSync: (url: string) => readonly { readonly key: string; readonly cookieString: () => string }[];
  readonly setCookieSync: (
    line: string,
    url: string,
    options: { readonly ignoreError: true },
  ) => { readonly value: string } | undefined;
}

/** The jar of all places that credentials may go to. */
const TRUSTED = 'trusted';
/** Shorter values, such as those of `lang=en`, would take words out of logs. */
const SECRET_LENGTH = 4;

/**
 * Keeps the cookies that responses set, and sends them with later requests, as RFC 6265 has it
 * (docs/language/requests.md#cookies): one jar for all places that credentials may go to, and one for every other origin,
 * so that what an API has set for its whole domain does not go to a host that is not trusted. The jars live as long as this
 * stage. Redirects pass it hop by hop. Responses name the request without cookies.
 *
 * @example cookies({ getsCredentials: (url) => mayReceiveCredentials(url, baseUrl, []), secrets }).middleware(send)(request)
 */
export function cookies({ getsCredentials, secrets }: CookieOptions): Cookies {
  const jars = new Map<string, Jar>();
  const dropped = new Set<string>();
  let changes = 0;
  async function jarOf(url: string): Promise<Jar> {
    const { CookieJar } = await import('tough-cookie');
    const place = getsCredentials(url) ? TRUSTED : new URL(url).origin;
    const jar = jars.get(place) ?? new CookieJar();
    jars.set(place, jar);
    return jar;
  }
  const middleware: Middleware = (send) => (request) =>
    defer(() => from(jarOf(request.url))).pipe(
      mergeMap((jar) =>
        send(withCookies(request, jar)).pipe(
          map((response) => {
            const changed = keep(response, request.url, jar, secrets);
            if (changed === undefined) return { ...response, request };
            changes += 1;
            if (request.purpose.kind === 'login') return { ...response, request };
            for (const name of changed.kept) dropped.delete(name);
            for (const name of changed.dropped) dropped.add(name);
            return {
              ...response,
              request,
              ...(changed.replaced.length === 0 ? {} : { replacedCookies: changed.replaced }),
            };
          }),
        ),
      ),
    );
  return {
    middleware,
    forget: () => {
      jars.clear();
      dropped.clear();
    },
    hasTrusted: () => (jars.get(TRUSTED)?.serializeSync()?.cookies.length ?? 0) > 0,
    dropped: () => dropped,
    changes: () => changes,
  };
}

/** A cookie of the jar takes the place of one of the same name that the configuration writes. */
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

/** The names of cookies that a response has changed. */
interface Changed {
  readonly dropped: readonly string[];
  /** Those that had another value before. */
  readonly replaced: readonly string[];
  /** All that there are now. */
  readonly kept: readonly string[];
}

/**
 * How a response changes the cookies that the same request would have; `undefined` where it does not. What is no cookie, or one for
 * another domain, is ignored, as browsers do. One without a value is none.
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

/** The cookies for a place, as they are sent, by their names. */
const cookiesIn = (jar: Jar, url: string): KeptCookies =>
  new Map(jar.getCookiesSync(url).map((each) => [each.key, each.cookieString()]));

const textOf = (cookies: KeptCookies): string => [...cookies.values()].join('; ');
