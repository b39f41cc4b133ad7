import { FatalError } from '../../core/errors/errors';
import { parseUrl } from '../../core/url/address';

/** The parts of a NATS URL. */
export interface NatsAddress {
  /** The scheme, host, port and stream, for users: without credentials. */
  readonly name: string;
  /** The host and port. */
  readonly server: string;
  readonly tls: boolean;
  readonly credentials: { readonly user?: string; readonly pass?: string; readonly token?: string };
  readonly stream: string;
  /** The prefix of all subjects. */
  readonly prefix: string;
  /** Says what a message contains: an item, or a page of items as NDJSON. */
  readonly unit: 'item' | 'page';
  readonly cloudEvents: boolean;
}

const FORM = 'nats://user:password@host:4222/STREAM?subject=headwater&messages=items';
const STREAM_NAME = /^[^\s.*>/\\\p{C}]{1,255}$/u;
const SUBJECT = /^(?!\$)[^\s.*>\p{C}]+(?:\.[^\s.*>\p{C}]+)*$/u;
const PARAMETERS: readonly string[] = ['subject', 'messages', 'cloudevents'];

/**
 * Reads `nats://user:password@host:port/STREAM?subject=…&messages=items|pages&cloudevents=true|false`, or `tls://…`. A user without
 * password is a token. Everything but the host has a default.
 *
 * @throws FatalError DESTINATION which says what is wrong, without repeating credentials
 * @example natsAddress('nats://localhost/ORDERS?messages=pages').name // 'nats://localhost:4222/ORDERS'
 */
export function natsAddress(url: string): NatsAddress {
  const parsed = parseUrl(url) ?? refuse('it is not a URL');
  const { protocol, hostname, searchParams, pathname, search, hash } = parsed;
  // If a password contains `/`, `?` or `#`, its beginning is read as the port, and the rest is after the host.
  if (`${pathname}${search}${hash}`.includes('@'))
    refuse('it has an @ behind the host; special characters of a password are written as %xx');
  if (protocol !== 'nats:' && protocol !== 'tls:') refuse('it has to begin with nats:// or tls://');
  if (hostname === '') refuse('it names no host');
  for (const name of searchParams.keys())
    if (!PARAMETERS.includes(name)) refuse(`there is no parameter ${JSON.stringify(name)}`);
  const server = `${hostname}:${parsed.port === '' ? '4222' : parsed.port}`;
  const stream = decoded(parsed.pathname.slice(1)) || 'HEADWATER';
  if (!STREAM_NAME.test(stream)) refuse(`${JSON.stringify(stream)} cannot be the name of a stream`);
  const prefix = searchParams.get('subject') ?? 'headwater';
  if (!SUBJECT.test(prefix)) refuse(`${JSON.stringify(prefix)} cannot be what subjects begin with`);
  const messages = oneOf(searchParams, 'messages', ['items', 'pages']);
  return {
    name: `${protocol}//${server}/${stream}`,
    server,
    tls: protocol === 'tls:',
    credentials: credentialsOf(decoded(parsed.username), decoded(parsed.password)),
    stream,
    prefix,
    unit: messages === 'items' ? 'item' : 'page',
    cloudEvents: oneOf(searchParams, 'cloudevents', ['false', 'true']) === 'true',
  };
}

function credentialsOf(user: string, pass: string): NatsAddress['credentials'] {
  if (user === '') return {};
  return pass === '' ? { token: user } : { user, pass };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse('it holds a % that is no escape: write it as %25');
  }
}

/** The first one is the default. */
function oneOf(parameters: URLSearchParams, name: string, values: readonly [string, string]): string {
  const value = parameters.get(name) ?? values[0];
  return values.includes(value) ? value : refuse(`${name} has to be ${values[0]} or ${values[1]}`);
}

function refuse(reason: string): never {
  throw new FatalError(
    'DESTINATION_ADDRESS',
    `The address of the NATS server cannot be used: ${reason}. It looks like ${FORM}`,
  );
}
