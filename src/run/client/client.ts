/** A client: one user at one API, whose extractions share login, rates, connections and concurrency. */
import { catchError, concat, defer, finalize, map, NEVER, of, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { checkNames } from '../check-options';
import { createClosing } from './closing';
import { clientCredentials, NO_CREDENTIALS, requestOf } from './credentials';
import type { ClientCredentials, PlainRequest } from './credentials';
import { clientDocument, refuseOfClient } from './document';
import type { ClientSections } from './document';
import { tuneClient } from './tuning';
import type { ClientTuneSettings } from './tuning';
import { deliverTold } from '../deliver/deliver';
import type { DeliverOptions, Delivery } from '../deliver/delivery';
import { environmentIn } from '../../language/environment';
import type { RunEvent } from '../../core/events';
import { extractPrepared, loginsOf } from '../extract';
import type { Extraction, ExtractOptions } from '../extract';
import type { ExtractionHost } from '../extraction-host';
import { ruleOf } from '../../http/rules/rule-of';
import { logEvents } from '../../core/log';
import type { Log } from '../../core/log';
import { maskedError, maskedEvent } from '../../core/secrets/masking';
import type { JsonObject, Response } from '../../core/model';
import type { IterationPlan } from '../../plan/plan';
import { checkTransport, prepare } from '../prepare';
import type { Prepared } from '../prepare';
import { createSeal } from '../../core/sealed';
import { Secrets } from '../../core/secrets/secrets';
import type { Seat } from '../sessions/session';
import { sessionsOfClient } from '../sessions/sessions';
import type { TransportChoice } from '../sessions/sessions';
import type { Destination } from '../../language/parts/sink';
import { credentialStore } from '../state/credential-store';
import type { ItemDecoders, NoDecoders } from '../streams/decoders-of-jobs';
import { withValues } from '../tuning/tunable';

/** The options that belong to a client, and that its extractions cannot have by themselves. */
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

/** How a client works. Everything is optional. */
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
  /** What stands beside `api` and `config`, for example `authorization` with OAuth credentials. */
  readonly sections?: ClientSections;
  /** Where the events of all runs are logged, and those of logins for {@link Client.credentials$}; default nowhere. */
  readonly logger?: Log;
  /** Hears the same events. Must not throw. */
  readonly onEvent?: (event: RunEvent) => void;
}

/** How an extraction of a client runs; what is about requests and logins belongs to the client. */
export type ClientExtractOptions<D extends ItemDecoders = NoDecoders> = Omit<ExtractOptions<D>, ClientOnly> & {
  /** One run for each entry, whose keys replace those of `config`. */
  readonly iterations?: readonly JsonObject[];
};

/** As {@link ClientExtractOptions}, for `deliver`. */
export type ClientDeliverOptions = Omit<DeliverOptions, ClientOnly> & Pick<ClientExtractOptions, 'iterations'>;

/** One user at one API: made by {@link client}. */
export interface Client {
  /**
   * Does as `extract`, in the session of the client.
   *
   * @param config the section `config` of a configuration, without the credentials
   * @throws ConfigurationError with every fault at once; FatalError CLIENT_CLOSED
   */
  readonly extract: <const D extends ItemDecoders = NoDecoders>(
    config: object,
    options?: ClientExtractOptions<D>,
  ) => Extraction<D>;
  /** Does as `deliver`, in the session of the client. */
  readonly deliver: (
    config: object,
    destinations: readonly Destination[],
    options?: ClientDeliverOptions,
  ) => Promise<Delivery>;
  /**
   * The current credentials, which all extractions use as well: logs in when there are none, and emits again while somebody
   * is subscribed, whenever they expire or are refused. It never completes. Where the API needs no
   * authentication, it emits one value that adds nothing.
   *
   * @example client.credentials$.pipe(take(1)).subscribe(({ apply }) => fetch(url, apply({ url })));
   */
  readonly credentials$: Observable<ClientCredentials>;
  /**
   * Sends one request of the application's own as those of extractions are sent: with credentials, limits and retries. A
   * response of any status is a value.
   *
   * @param request its `url` is absolute, or an endpoint below the base URL of the API, as that of a job
   */
  readonly request: (request: PlainRequest) => Observable<Response>;
  /** Changes how many requests of all extractions together are sent, now and later. */
  readonly tune: (settings: ClientTuneSettings) => void;
  /**
   * Closes the client: what runs fails with the error CLIENT_CLOSED, its connections are closed, and nothing new begins.
   * It may be called again.
   */
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/**
 * Makes a client of an API: its extractions share one login, its rates and caps, its connections and its cookies, however
 * many run at once and one after another. Two clients share nothing.
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
  const hear = (event: RunEvent): void => {
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
    hear,
    afterwards: hear,
  };

  const preparedOf = (config: object, own: Pick<ClientExtractOptions, 'iterations' | 'lenient'>): Prepared => {
    throwIfClosed();
    refuseOfClient(own);
    const prepared = prepare(documentOf(config, own.iterations), { lenient: own.lenient ?? lenient, ...reading });
    logins.push(...loginsOf(prepared.planned).filter((login) => !logins.includes(login)));
    return prepared;
  };
  const optionsOf = <O extends object>(own: O) => ({
    lenient,
    ...own,
    ...reading,
    ...(cacheFolder === undefined ? {} : { cacheFolder }),
    ...(scheduler === undefined ? {} : { scheduler }),
  });

  /** What the application sends itself. */
  const joined = <T>(use: (seat: Seat, plan: IterationPlan) => Observable<T>): Observable<T> => {
    const used$ = defer(() => {
      const [plan] = planned.iterations;
      if (plan === undefined) return NEVER;
      const { http } = plan;
      const report = (event: RunEvent): void => hear(maskedEvent(event, secrets));
      const rules = http.rules === undefined ? undefined : ruleOf(http.rules, report);
      const seat = sessions.of(plan).join({ http, report, secrets, rules, tuned: [tuning.requests] });
      return use(seat, plan).pipe(finalize(seat.leave));
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
      return deliverTold(documentOf(config, own.iterations), destinations, optionsOf(own), {}, host);
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
