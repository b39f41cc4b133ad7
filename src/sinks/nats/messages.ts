import type { JournaledPage } from '../journal/journal';
import type { NatsAddress } from './address';

/** Which page of which call it is. */
export type PageKey = JournaledPage['checkpoint'];

/** One message of a stream. */
export interface StreamMessage {
  readonly id: string;
  readonly subject: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** A page to publish. */
export interface PublishedPage extends Pick<JournaledPage, 'checkpoint' | 'dataType' | 'lines'> {
  /** How often its call restarted before. */
  readonly generation: number;
}

const LF = 0x0a;

/**
 * Returns the messages of a page. The id of a message is unique, and the same whenever the page is published again: the run, the call
 * (`0.1`; after a restart: `0.1~1`), the number of the page in the call and of the item in the page.
 *
 * @param manifest the run manifest
 * @example messagesOf(page, { id: 'r', startedAt: 1700000000 }, natsAddress('nats://localhost'))[0].id // 'r:0.0:0:0'
 */
export function messagesOf(
  { checkpoint, dataType, lines, generation }: PublishedPage,
  manifest: { readonly id: string; readonly attempt?: string; readonly startedAt: number },
  { stream, prefix, unit, cloudEvents }: NatsAddress,
): readonly StreamMessage[] {
  const call = checkpoint.call.join('.') + (generation === 0 ? '' : `~${generation}`);
  // A server that took messages of a new run for those of a dropped run with the same given id would leave them out: the attempt is in it.
  const page = `${inHeader(manifest.attempt ?? manifest.id)}:${call}:${checkpoint.pages - 1}`;
  const subject = subjectOf(prefix, dataType);
  const time = new Date(manifest.startedAt * 1000).toISOString();
  // The attributes of a CloudEvent in binary mode (CloudEvents 1.0.2, NATS protocol binding 3.1).
  const eventHeaders = (id: string): StreamMessage['headers'] => [
    ['ce-specversion', '1.0'],
    ['ce-id', id],
    ['ce-source', `headwater/${encodeURIComponent(checkpoint.job.toWellFormed())}`],
    ['ce-type', `headwater.${unit}.${inHeader(dataType)}`],
    ['ce-time', time],
    ['ce-datacontenttype', unit === 'item' ? 'application/json' : 'application/x-ndjson'],
  ];
  const message = (id: string, body: Uint8Array): StreamMessage => ({
    id,
    subject,
    headers: [
      ['Nats-Msg-Id', id],
      // Otherwise the acknowledgement of another stream with these subjects would count for this one.
      ['Nats-Expected-Stream', stream],
      ['Headwater-Run', inHeader(manifest.id)],
      ['Headwater-Job', inHeader(checkpoint.job)],
      ['Headwater-Page', String(checkpoint.pages - 1)],
      ...(cloudEvents ? eventHeaders(id) : []),
    ],
    body,
  });
  if (unit === 'item') return linesOf(lines).map((line, at) => message(`${page}:${at}`, line));
  return lines.length === 0 ? [] : [message(page, lines)];
}

/** Returns the bytes that count for the limits of a server: the serialized headers, and the body. */
export function sizeOf({ headers, body }: StreamMessage): number {
  const frame = 'NATS/1.0\r\n\r\n'.length;
  return headers.reduce(
    (size, [name, value]) => size + name.length + value.length + ': \r\n'.length,
    frame + body.length,
  );
}

/** Returns the lines of a page without their LF; they share the memory of the page. */
function linesOf(bytes: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(LF, from);
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return lines;
}

/**
 * Returns whether the first pattern covers every subject of the second: `*` is one token, `>` is one or more at the end.
 *
 * @example covers('a.>', 'a.b.c') // true
 */
export function covers(pattern: string, other: string): boolean {
  const wanted = pattern.split('.');
  const tokens = other.split('.');
  for (const [at, token] of wanted.entries()) {
    const found = tokens[at];
    if (found === undefined) return false;
    if (token === '>') return true;
    if (found === '>' || (token !== '*' && token !== found)) return false;
  }
  return wanted.length === tokens.length;
}

/**
 * Returns `<prefix>.<dataType>`, where the data type is one token: characters that a token cannot contain are written as `%` and two digits
 * for each byte. Two data types never have the same subject.
 *
 * @example subjectOf('headwater', 'a.b') // 'headwater.a%2Eb'
 */
export const subjectOf = (prefix: string, dataType: string): string =>
  `${prefix}.${dataType === '' ? '%' : tokenOf(dataType)}`;

/** Returns a string as one token of a subject. */
export const tokenOf = (text: string): string => escaped(text, /[\s.*>%\p{C}]/gu);

/** Returns a value in the header form of CloudEvents: printable ASCII (NATS protocol binding 3.1.2.2). */
export const inHeader = (value: string): string => escaped(value, /[^!#-$&-~]/gu);

const escaped = (text: string, unsafe: RegExp): string =>
  text.replace(unsafe, (character) => {
    // An unpaired surrogate has no bytes in UTF-8.
    if (!character.isWellFormed()) return `%u${character.charCodeAt(0).toString(16).toUpperCase()}`;
    return Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '%$&');
  });
