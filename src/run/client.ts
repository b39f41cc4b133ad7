/** A client: one user at one API, whose extractions share login, rates, connections and concurrency. */
import { NEVER, catchError, concat, defer, finalize, map, of, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { ConfigurationError, FatalError } from '../core/errors/errors';
import type { RunEvent } from '../core/events';
import { entriesOf, isObject, merge, objectFrom } from '../core/json/objects';
import { logEvents } from '../core/log';
import type { Log } from '../core/log';
import type {
  CredentialSource,
  Credentials,
  Headers,
  HttpMethod,
  Json,
  JsonObject,
  Request,
  Response,
} from '../core/model';
import { createSeal } from '../core/sealed';
import { maskedError, maskedEvent } from '../core/secrets/masking';
import { Secrets } from '../core/secrets/secrets';
import { endpointUrl, mayReceiveCredentials } from '../core/url/address';
import { tunedRequests } from '../http/rates/request-tuning';
import type { RequestTuning } from '../http/rates/request-tuning';
import { ruleOf } from '../http/rules';
import { environmentIn } from '../language/environment';
import type { Destination } from '../language/parts/sink';
import { mayRefer } from '../language/references/reference';
import { untilAborted } from '../operators/until-aborted';
import type { HttpPlan, IterationPlan } from '../plan/plan';
import { deliverWithHooks } from './deliver/deliver';
import type { DeliverOptions, Delivery } from './deliver/deliver';
import { extractPrepared, loginsOf } from './extract';
import type { ExtractOptions, Extraction, ExtractionHost } from './extract';
import { checkNames } from './options';
import { sessionsOfClient } from './sessions/sessions';
import type { SessionLease, TransportChoice } from './sessions/sessions';
import { credentialStore } from './state/kept-credentials';
import type { ItemDecoders, NoDecoders } from './streams/decoding';
import { concurrencyOf, createTuner, requestSetters, withValues } from './tuning';
import type { RequestSettings, Tunable } from './tuning';
import { checkTransport, prepare } from './validate';
import type { Prepared } from './validate';

/** The options of a client that its extractions cannot set. */
export type ClientOnly =
  | keyof TransportChoice
  | 'cacheFolder'
  | 'encryptionKey'
  | 'onCredentials'
  | 'renewEarly'
  | 'components'
  | 'env'
  | 'secretFiles'
  | 'record'
  | 'scheduler';

/** The options of a client; all are optional. */
export interface ClientOptions
  extends
    Omit<TransportChoice, 'ownConnections'>,
    ClientTuneSettings,
    Pick<
      ExtractOptions,
      Exclude<ClientOnly, keyof TransportChoice | 'record'> | 'logger' | 'signal' | 'state' | 'lenient'
    > {
  /** Keys of `config` that the section `api` refers to, such as `#login` and `#password`; all extractions have them. */
  readonly credentials?: JsonObject;
  /** Sections beside `api` and `config`, for example `authorization` with OAuth credentials. */
  readonly sections?: ClientSections;
  /** The log for the events of all runs, and of logins for {@link Client.credentials$}; default: none. */
  readonly logger?: Log;
  /** Is called with the same events. Must not throw. */
  readonly onEvent?: (event: RunEvent) => void;
}

/** The options of an extraction of a client; those for requests and logins belong to the client. */
export type ClientExtractOptions<D extends ItemDecoders = NoDecoders> = Omit<ExtractOptions<D>, ClientOnly> & {
  /** One run for each entry, whose keys replace those of `config`. */
  readonly iterations?: readonly JsonObject[];
};

/** The options of `deliver` for a client, like {@link ClientExtractOptions}. */
export type ClientDeliverOptions = Omit<DeliverOptions, ClientOnly> & Pick<ClientExtractOptions, 'iterations'>;

/** One user at one API: made by {@link client}. */
export interface Client {
  /**
   * Works like `extract`, in the session of the client.
   *
   * @param config the section `config` of a configuration, without the credentials
   * @throws ConfigurationError with every fault at once; FatalError CLIENT_CLOSED
   */
  readonly extract: <const D extends ItemDecoders = NoDecoders>(
    config: object,
    options?: ClientExtractOptions<D>,
  ) => Extraction<D>;
  /** Works like `deliver`, in the session of the client. */
  readonly deliver: (
    config: object,
    destinations: readonly Destination[],
    options?: ClientDeliverOptions,
  ) => Promise<Delivery>;
  /**
   * The current credentials, which all extractions use as well. It logs in if there are none, and emits again, while it is subscribed,
   * whenever they expire or are refused. It never completes. If the API needs no authentication, it emits one value that adds nothing.
   *
   * @example client.credentials$.pipe(take(1)).subscribe(({ apply }) => fetch(url, apply({ url })));
   */
  readonly credentials$: Observable<ClientCredentials>;
  /**
   * Sends a request of the application in the same way as requests of extractions: with credentials, limits and retries. A response of any
   * status is a value.
   *
   * @param request its `url` is absolute, or an endpoint below the base URL of the API, like the endpoint of a job
   */
  readonly request: (request: PlainRequest) => Observable<Response>;
  /** Changes the limits for the requests of all extractions together, now and later. */
  readonly tune: (settings: ClientTuneSettings) => void;
  /**
   * Closes the client: everything that runs fails with the error CLIENT_CLOSED, its connections are closed, and nothing new starts. It may
   * be called again.
   */
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/**
 * Makes a client of an API: its extractions share one login, its rates and caps, its connections and its cookies, whether they run at the
 * same time or one after another. Two clients share nothing.
 *
 * @param api the section `api` of a configuration
 * @param options credentials, limits, transport; see {@link ClientOptions}
 * @throws ConfigurationError with every fault at once; RangeError for options
 * @example
 * const acme = client(api, { credentials: { '#login': 'acme', '#password': password }, rate: 5 });
 * river$.pipe(switchMap((river) => acme.extract({ jobs: [{ endpoint: `levels/${river}` }] }).items$)).subscribe(show);
 * await acme.close();
 */
export function client(api: object, options: ClientOptions = {}): Client {
  checkNames('client', options);
  const { credentials = {}, sections = {}, lenient = false, components = [], cacheFolder, logger, onEvent } = options;
  const { state = {}, onCredentials = () => undefined, encryptionKey, renewEarly = true, signal } = options;
  const { dispatcher, fetch, proxies, plainRetries = false, scheduler } = options;
  const documentOf = clientDocument(api, credentials, sections);
  const reading = { components, ...environmentIn(options) };
  const { planned, secrets: known } = prepare(documentOf({ jobs: [] }), { lenient, ...reading });
  const transport = {
    ...(dispatcher === undefined ? {} : { dispatcher }),
    ...(fetch === undefined ? {} : { fetch }),
    ...(proxies === undefined ? {} : { proxies }),
    plainRetries,
    ownConnections: true,
  };
  checkTransport(planned, transport);
  const secrets = new Secrets(known);
  const logins = [...loginsOf(planned)];
  const sessions = sessionsOfClient(planned, {
    secrets,
    store: credentialStore(state, logins, onCredentials),
    renewEarly,
    transport,
    scheduler,
    settings: {
      plainRetries,
      middleware: components.filter((part) => part.kind === 'middleware'),
      cacheFolder,
      seal: encryptionKey === undefined ? undefined : createSeal(encryptionKey),
    },
  });
  const log = logger === undefined ? undefined : logEvents(logger);
  const observe = (event: RunEvent): void => {
    log?.(event);
    onEvent?.(event);
  };
  const tuning = tuneClient();
  const { concurrency, rate, paused } = options;
  tuning.tune({ concurrency, rate, paused });
  const { untilClosed, throwIfClosed, close } = createClosing(signal, sessions.close);
  const host: ExtractionHost = {
    sessions,
    secrets,
    tuned: tuning.requests,
    values$: tuning.values$,
    untilClosed,
    onEvent: observe,
    afterwards: observe,
  };

  /**
   * What was prepared of a configuration, by its object and its text: an application mostly passes the same again. One that refers to
   * variables or files is read again each time, since these change.
   */
  const kept = new WeakMap<object, { readonly text: string; readonly prepared: Prepared }>();
  const preparedOf = (config: object, own: Pick<ClientExtractOptions, 'iterations' | 'lenient'>): Prepared => {
    throwIfClosed();
    refuseOfClient(own);
    const { iterations, lenient: isLenient = lenient } = own;
    const before = kept.get(config);
    if (before !== undefined && before.text === textOf(config, iterations, isLenient)) return before.prepared;
    const document = documentOf(config, iterations);
    const prepared = prepare(document, { lenient: isLenient, ...reading });
    logins.push(...loginsOf(prepared.planned).filter((login) => !logins.includes(login)));
    const text = mayRefer(document) ? undefined : textOf(config, iterations, isLenient);
    if (text !== undefined) kept.set(config, { text, prepared });
    return prepared;
  };
  const optionsOf = <O extends object>(own: O) => ({
    lenient,
    ...own,
    ...reading,
    ...(cacheFolder === undefined ? {} : { cacheFolder }),
    ...(scheduler === undefined ? {} : { scheduler }),
  });

  /** Wraps what the application sends itself. */
  const joined = <T>(use: (lease: SessionLease, plan: IterationPlan) => Observable<T>): Observable<T> => {
    const used$ = defer(() => {
      const [plan] = planned.iterations;
      if (plan === undefined) return NEVER;
      const { http } = plan;
      const report = (event: RunEvent): void => observe(maskedEvent(event, secrets));
      const rules = http.rules === undefined ? undefined : ruleOf(http.rules, report);
      const lease = sessions.of(plan).join({ http, report, secrets, rules, tuned: [tuning.requests] });
      return use(lease, plan).pipe(finalize(lease.leave));
    });
    return withValues(used$, tuning.values$).pipe(
      catchError((error: unknown) => throwError(() => maskedError(error, secrets))),
      untilClosed,
    );
  };

  return {
    extract: <const D extends ItemDecoders = NoDecoders>(config: object, own: ClientExtractOptions<D> = {}) =>
      extractPrepared<D>(preparedOf(config, own), optionsOf(own), host),
    deliver: async (config, destinations, own = {}) => {
      preparedOf(config, own);
      return deliverWithHooks(documentOf(config, own.iterations), destinations, optionsOf(own), {}, host);
    },
    credentials$: joined(({ source }, { http }) =>
      source === undefined
        ? concat(of(NO_CREDENTIALS), NEVER)
        : concat(source.credentials$.pipe(map((each) => clientCredentials(each, { source, http, secrets }))), NEVER),
    ),
    request: (request) => joined(({ send }, { http }) => send(requestOf(request, http, secrets))),
    tune: tuning.tune,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Returns a text that differs for inputs that differ; `undefined` for what is no JSON any more. */
function textOf(...inputs: readonly unknown[]): string | undefined {
  try {
    return JSON.stringify(inputs, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
  } catch {
    return undefined;
  }
}

/** The sections beside `api` and `config`. */
export interface ClientSections {
  readonly authorization?: JsonObject;
  readonly sshProxy?: JsonObject;
  readonly aws?: JsonObject;
  readonly cache?: JsonObject | boolean;
  readonly image_parameters?: JsonObject;
}

/**
 * Returns a function that makes the configuration of an extraction from the part of the client.
 *
 * @throws ConfigurationError when a key is in the credentials and in `config`
 * @example clientDocument(api, { '#token': 't' }, {})({ jobs: [{ endpoint: 'users' }] })
 */
const clientDocument =
  (api: object, credentials: JsonObject, sections: ClientSections) =>
  (config: object, iterations?: readonly JsonObject[]): Json => {
    // The application writes JSON; its types only describe it more closely.
    const written = config as Json;
    const faults = Object.keys(credentials)
      .filter((key) => isObject(written) && Object.hasOwn(written, key))
      .map((key) => ({
        path: `config.${key}`,
        message: 'stands in the credentials of the client as well: leave it out here, or make another client',
      }));
    if (faults.length > 0) throw new ConfigurationError(faults);
    return objectFrom([
      ...entriesOf(sections as JsonObject),
      ['api', api as Json],
      ['config', isObject(written) ? merge(credentials, written) : written],
      ...(iterations === undefined ? [] : [['iterations', iterations] as const]),
    ]);
  };

const OF_CLIENT = [
  ...['dispatcher', 'fetch', 'ownConnections', 'proxies', 'plainRetries', 'cacheFolder', 'encryptionKey'],
  ...['onCredentials', 'renewEarly', 'components', 'env', 'secretFiles', 'record', 'scheduler'],
];

/**
 * Refuses options that belong to the client.
 *
 * @throws RangeError for options that an extraction of a client cannot set
 */
function refuseOfClient(options: object): void {
  const given = OF_CLIENT.find((name) => Reflect.get(options, name) !== undefined);
  if (given !== undefined) throw new RangeError(`The option "${given}" belongs to the client: give it to client().`);
}

/** The state of a client, open or closed: made by {@link createClosing}. */
export interface Closing {
  /**
   * Mirrors a stream until the client is closed; then it fails, with a separate error each time, which says where its run can be resumed.
   */
  readonly untilClosed: <T>(source: Observable<T>) => Observable<T>;
  /** @throws FatalError CLIENT_CLOSED, or the reason of the signal, when it is closed */
  readonly throwIfClosed: () => void;
  /** Closes the client; each call returns the same promise. */
  readonly close: () => Promise<void>;
}

/**
 * Makes the open state of a client.
 *
 * @param signal closes as `close` does
 * @param release frees the resources of the client
 * @example createClosing(signal, sessions.close).close()
 */
function createClosing(signal: AbortSignal | undefined, release: () => Promise<void>): Closing {
  const closing = new AbortController();
  let reasonOf: () => unknown = closedError;
  let released: Promise<void> | undefined;
  const close = (): Promise<void> => {
    signal?.removeEventListener('abort', aborted);
    closing.abort();
    return (released ??= release());
  };
  const aborted = (): void => {
    reasonOf = () => signal?.reason;
    void close();
  };
  signal?.addEventListener('abort', aborted, { once: true });
  if (signal?.aborted === true) aborted();
  return {
    untilClosed: (source) =>
      source.pipe(
        untilAborted(closing.signal),
        catchError((error: unknown) => throwError(() => (error === closing.signal.reason ? reasonOf() : error))),
      ),
    throwIfClosed: () => {
      if (closing.signal.aborted) throw reasonOf();
    },
    close,
  };
}

const closedError = (): FatalError =>
  new FatalError(
    'CLIENT_CLOSED',
    'The client is closed: make another one to go on, and close it when its runs are over.',
  );

/** The settings that can be changed for the requests of all extractions of a client together. */
export interface ClientTuneSettings extends RequestSettings {
  /**
   * How many requests are in flight at once: an integer from 1, `Infinity`, or `auto`, which finds the number that the API accepts
   * (docs/language/concurrency.md#as-many-as-the-api-takes). Of an Observable, none starts before its first value.
   */
  readonly concurrency?: Tunable<number | 'auto'> | undefined;
}

/** The tuning of one client. */
export interface ClientTuning {
  readonly requests: RequestTuning;
  /** @throws RangeError for an unknown setting, or an invalid value */
  readonly tune: (settings: ClientTuneSettings) => void;
  /** Subscribes to the Observables among the settings; fails with their errors. */
  readonly values$: Observable<never>;
}

/** @example tuneClient().tune({ concurrency: 10, rate: 5 }) */
function tuneClient(): ClientTuning {
  const requests = tunedRequests();
  const { tune, values$ } = createTuner(
    {
      concurrency: {
        set: (value) => requests.cap(concurrencyOf(value)),
        holdBack: () => requests.cap(0),
      },
      ...requestSetters(() => requests),
    },
    (job) => {
      if (job !== undefined) throw new RangeError('tune: a client has no jobs: tune the extraction that has the job');
    },
  );
  return {
    tune,
    values$,
    requests: { isActive: requests.isSet, rulesOf: () => requests.rules(), priorityOf: () => undefined },
  };
}

/** A request that the application makes itself. */
export interface PlainRequest {
  /** Absent: GET. */
  readonly method?: HttpMethod;
  readonly url: string;
  readonly headers?: Headers;
  readonly body?: string;
}

/** Credentials for requests that the application makes itself. */
export interface ClientCredentials {
  /**
   * Adds the credentials to a request.
   *
   * @param request its `url` is absolute
   * @throws FatalError ORIGIN_REFUSED when the host of the URL may not receive credentials (the base URL, `api.http.allowedHosts`)
   */
  readonly apply: (request: PlainRequest) => PlainRequest & { readonly headers: Headers };
  /** The time from which they are not used, in milliseconds since the epoch; absent: unknown. */
  readonly expiresAt?: number;
  /** Reports that the API refused them; then all extractions get new ones. */
  readonly refused: () => void;
}

/** Credentials of an API without authentication. */
const NO_CREDENTIALS: ClientCredentials = {
  apply: (request) => ({ ...request, headers: request.headers ?? {} }),
  refused: () => undefined,
};

interface Surroundings {
  readonly source: CredentialSource;
  readonly http: HttpPlan;
  readonly secrets: Secrets;
}

/** @example clientCredentials(credentials, { source, http, secrets }).apply({ url: 'https://api.example/users' }) */
function clientCredentials(credentials: Credentials, { source, http, secrets }: Surroundings): ClientCredentials {
  const { expiresAt } = credentials;
  return {
    apply: (request) => {
      refuseOthers(request.url, http, secrets);
      const { url, headers } = credentials.apply(requestOf(request, http, secrets));
      return { ...request, url, headers };
    },
    ...(expiresAt === undefined ? {} : { expiresAt }),
    refused: () => {
      const request = requestOf({ url: http.baseUrl }, http, secrets);
      source.invalidate(credentials, { request, status: 401, headers: {}, body: new Uint8Array(0) });
    },
  };
}

function refuseOthers(url: string, { baseUrl, credentialHosts }: HttpPlan, secrets: Secrets): void {
  if (URL.canParse(url) && mayReceiveCredentials(url, baseUrl, credentialHosts)) return;
  throw new FatalError(
    'ORIGIN_REFUSED',
    `The credentials of ${secrets.mask(baseUrl)} are not for "${secrets.mask(url)}". Give an absolute URL of that host, or name the host in api.http.allowedHosts.`,
  );
}

/** Returns a request of the application as the session sends it. */
function requestOf(request: PlainRequest, { baseUrl }: HttpPlan, secrets: Secrets): Request {
  const { method = 'GET', headers = {}, body } = request;
  const href = urlOf(request.url, baseUrl, secrets);
  return {
    method,
    url: href,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    ...(body === undefined ? {} : { body }),
    purpose: { kind: 'page', job: 'client.request' },
    home: href,
    provenance: 'configured',
    receivedNames: [],
  };
}

function urlOf(url: string, baseUrl: string, secrets: Secrets): string {
  try {
    return endpointUrl(baseUrl, url);
  } catch (cause) {
    throw new FatalError('CONFIG_INVALID', `This is no URL, and no endpoint of the API: "${secrets.mask(url)}".`, {
      cause,
    });
  }
}
