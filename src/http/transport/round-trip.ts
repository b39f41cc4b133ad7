import { unescape } from 'node:querystring';
import { asyncScheduler } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { FatalError, addFacts, eventError } from '../../core/errors/errors';
import { headFacts } from '../../core/errors/response-facts';
import { DETAILED, requestFields } from '../../core/events';
import type { Meter, Report } from '../../core/events';
import { isConnectionHeader, isHeaderName, isHeaderValue } from '../../core/headers';
import type { BodyStream, Headers, Request, Response } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import { partsOfNormal } from '../../core/url/address';
import type { AddressParts } from '../../core/url/address';
import type { Abortion } from '../../operators';
import { OnDemandAbortion } from '../../operators/abortable';
import { afterDelay } from '../../operators/long-timer';
import { BodyTooLong, LONGEST_BODY } from '../body/content-coding';
import type { Dispatch } from '../dispatch';
import { learnFromAddress, learnFromHeaders, requestFacts, requestLine } from '../masking';
import type { Exchange, ExchangePhase, Incoming, Outgoing } from './exchange';
import type { FirstConnection } from './first-connection';
import { networkFailure, requestTimeout } from './network-failure';

export interface RoundTripOptions {
  /** Headers for requests that do not name them. */
  readonly defaultHeaders: Headers;
  /** Milliseconds for a whole request, its body included; 0 for no limit. */
  readonly requestTimeoutMs: number;
  /** The first connections to hosts that the run has not reached yet. */
  readonly firstConnection: FirstConnection;
  /** The clock; `asyncScheduler` by default. */
  readonly scheduler?: SchedulerLike;
  readonly report: Report;
  readonly meter?: Meter;
  readonly secrets: Secrets;
}

/** The received part of the response to one request. */
interface Arrived {
  head?: Pick<Response, 'status' | 'headers'>;
}

/**
 * Makes a whole request of an exchange (docs/language/requests.md#time-outs): sends it, reads the body in full, and
 * aborts the exchange when its time is over. Errors are those of {@link networkFailure} and {@link outgoing}.
 *
 * @example roundTrip(exchange, { defaultHeaders: {}, requestTimeoutMs: 5000, report, secrets })(request, abortion)
 */
export function roundTrip(exchange: Exchange, options: RoundTripOptions): Dispatch {
  const { report, meter = DETAILED, secrets, requestTimeoutMs, firstConnection, scheduler = asyncScheduler } = options;

  /** Adds the facts of the response to an error, if its head had arrived. */
  const withFacts = <E>(error: E, { head }: Arrived): E =>
    head === undefined ? error : addFacts(error, headFacts(head, secrets));

  async function responseTo(request: Request, wire: Outgoing, abortion: Abortion, arrived: Arrived): Promise<Response> {
    const failure = (stage: ExchangePhase, error: unknown): unknown => {
      // The error of a replay already says what is wrong.
      if (error instanceof FatalError) return error;
      if (error instanceof BodyTooLong) return withFacts(tooLong(request, secrets), arrived);
      return firstConnection.limit(withFacts(networkFailure(error, stage, request, secrets), arrived), wire.origin);
    };
    let incoming: Incoming;
    try {
      incoming = await exchange(wire, abortion);
    } catch (error) {
      throw failure('waiting', error);
    }
    const { status, headers, readBody, stream, isEndUnknown = false } = incoming;
    learnFromHeaders(headers, secrets);
    firstConnection.reach(wire.origin);
    arrived.head = { status, headers };
    const end = isEndUnknown ? { isEndUnknown } : {};
    if (stream !== undefined) {
      const broken = (error: unknown): unknown =>
        withFacts(networkFailure(error, 'receiving', request, secrets), arrived);
      return { request, status, headers, ...end, body: new Uint8Array(0), stream: reportingFailure(stream, broken) };
    }
    let body: Uint8Array;
    try {
      body = await readBody();
    } catch (error) {
      throw failure('receiving', error);
    }
    // A fetch reads without a limit.
    if (body.byteLength > LONGEST_BODY) throw withFacts(tooLong(request, secrets), arrived);
    return { request, status, headers, ...end, body, receivedAt: scheduler.now() };
  }

  return async (request, abortion) => {
    const wire = outgoing(request, options.defaultHeaders, secrets);
    firstConnection.begin(wire.origin);
    learnFromAddress(request.url, secrets);
    const startedAt = performance.now();
    const arrived: Arrived = {};
    const overdue = (): unknown =>
      firstConnection.limit(withFacts(requestTimeout(requestTimeoutMs, request, secrets), arrived), wire.origin);
    if (meter.isDetailed) report({ type: 'request.sent', ...requestFields(request, secrets) });
    else meter.countRequest(request.purpose, 'requests', 1);
    try {
      const work = (inside: Abortion): Promise<Response> => responseTo(request, wire, inside, arrived);
      const response = await withinTime(work, abortion, { milliseconds: requestTimeoutMs, overdue, scheduler });
      const { status, body } = response;
      const bytes = body.byteLength;
      if (meter.isDetailed) {
        const milliseconds = performance.now() - startedAt;
        report({ type: 'response.received', ...requestFields(request, secrets), status, bytes, milliseconds });
      } else meter.countRequest(request.purpose, 'bytes', bytes);
      return response;
    } catch (error) {
      const milliseconds = performance.now() - startedAt;
      if (!abortion.isAborted)
        report({ type: 'request.failed', ...requestFields(request, secrets), error: eventError(error), milliseconds });
      throw error;
    }
  };
}

interface TimeLimit {
  /** 0: there is no limit. */
  readonly milliseconds: number;
  /** Returns the error of work that exceeds it. */
  readonly overdue: () => unknown;
  readonly scheduler: SchedulerLike;
}

/** Limits the time of work: it is aborted when the time is over, and when the abortion around it happens. */
function withinTime<T>(
  work: (abortion: Abortion) => Promise<T>,
  abortion: Abortion,
  { milliseconds, overdue, scheduler }: TimeLimit,
): Promise<T> {
  if (milliseconds === 0) return work(abortion);
  return new Promise((resolve, reject) => {
    const inside = new OnDemandAbortion();
    const timer = afterDelay(milliseconds, scheduler, () => {
      inside.abort();
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- it is an error of this project
      reject(overdue());
    });
    abortion.onAbort(() => {
      timer.unsubscribe();
      inside.abort();
    });
    const ended =
      <R>(settle: (result: R) => void) =>
      (result: R): void => {
        timer.unsubscribe();
        settle(result);
      };
    work(inside).then(ended(resolve), ended(reject));
  });
}

/** Wraps a stream so that its errors are explained. */
const reportingFailure = (stream: BodyStream, broken: (error: unknown) => unknown): BodyStream => ({
  cancel: stream.cancel,
  async *[Symbol.asyncIterator]() {
    try {
      yield* stream;
    } catch (error) {
      throw broken(error);
    }
  },
});

function tooLong(request: Request, secrets: Secrets): FatalError {
  const limit = `${LONGEST_BODY} bytes (${LONGEST_BODY / 2 ** 20} MiB)`;
  const message = `${requestLine(request, secrets)}: the body of the response is longer than ${limit}. Ask for smaller pages.`;
  return new FatalError('API_SHAPE', message, requestFacts(request, secrets));
}

/**
 * Prepares a request for sending: `defaults` add missing headers, and a userinfo in its URL becomes basic credentials,
 * unless it has an `authorization` header. Its password is masked from then on. Headers of the connection are left to
 * the transport.
 *
 * @throws FatalError `CONFIG_INVALID` for a header that HTTP cannot carry; the message names the header but never shows
 *   its value
 */
export function outgoing(request: Request, defaults: Headers, secrets: Secrets): Outgoing {
  const headers: Record<string, string | readonly string[]> = Object.assign({}, defaults);
  const address = addressOf(request.url);
  if (address.userinfo !== undefined) headers['authorization'] = basicCredentials(address.userinfo, secrets);
  for (const [name, value] of Object.entries(request.headers)) {
    if (isConnectionHeader(name)) continue;
    requireSendable(name, value, request, secrets);
    headers[name] = value;
  }
  const { url, origin, path } = address;
  const { method, body, streams } = request;
  return {
    ...{ method, url, origin, path, headers },
    ...(body === undefined ? {} : { body }),
    ...(streams === undefined ? {} : { streams }),
  };
}

interface SentAddress extends AddressParts {
  /** The address without its userinfo. */
  readonly url: string;
  readonly userinfo?: Pick<URL, 'username' | 'password'>;
}

function addressOf(address: string): SentAddress {
  const parts = partsOfNormal(address);
  if (parts !== undefined) return { url: address, ...parts };
  const url = new URL(address);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const plain = { url: url.href, origin: url.origin, path: url.pathname + url.search };
  return username === '' && password === '' ? plain : { userinfo: { username, password }, ...plain };
}

function basicCredentials({ username, password }: Pick<URL, 'username' | 'password'>, secrets: Secrets): string {
  const pair = `${unescape(username)}:${unescape(password)}`;
  const encoded = Buffer.from(pair).toString('base64');
  // A user name without a password is a key.
  secrets.add(unescape(password === '' ? username : password), pair, encoded);
  return `Basic ${encoded}`;
}

function requireSendable(name: string, value: Headers[string], request: Request, secrets: Secrets): void {
  const isSendable = typeof value === 'string' ? isHeaderValue(value) : value.every(isHeaderValue);
  if (isSendable && isHeaderName(name)) return;
  const what = isHeaderName(name) ? 'holds a character' : 'has a name';
  const header = JSON.stringify(secrets.mask(name));
  const message = `${requestLine(request, secrets)} cannot be sent: the header ${header} ${what} that HTTP does not allow. Look for line breaks and letters beyond Latin-1.`;
  throw new FatalError('CONFIG_INVALID', message, requestFacts(request, secrets));
}
