/** Answers as bytes. */
import { STATUS_CODES } from 'node:http';
import type { Wire } from './raw-server';

type HeaderLines = readonly (readonly [name: string, value: string])[];

/** The head of an answer, up to the blank line. */
export const head = (status: number, headers: HeaderLines = []): string =>
  [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}`, ...headers.map(([name, value]) => `${name}: ${value}`)]
    .map((line) => `${line}\r\n`)
    .join('') + '\r\n';

const JSON_TYPE = ['Content-Type', 'application/json'] as const;

/** A well-formed answer. */
export function whole(body: string | Buffer, headers: HeaderLines = [], status = 200): Wire {
  const bytes = Buffer.from(body);
  return [Buffer.concat([Buffer.from(head(status, [JSON_TYPE, ...lengthOf(status, bytes), ...headers])), bytes])];
}

/** These have no body, and must not speak of one. */
const lengthOf = (status: number, { length }: Buffer): HeaderLines =>
  status === 204 || status === 304 ? [] : [['Content-Length', String(length)]];

/** The same body under headers that say something else of it. */
export const under = (headers: HeaderLines, body: string | Buffer, status = 200): readonly (string | Buffer)[] => [
  Buffer.concat([Buffer.from(head(status, [JSON_TYPE, ...headers])), Buffer.from(body)]),
];

export const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
export const LAST_CHUNK = '0\r\n\r\n';
export const CHUNKED = [['Transfer-Encoding', 'chunked']] as const;

export const halfOf = (body: string): string => body.slice(0, body.length >> 1);
export const lengthHeader = (length: number): HeaderLines => [['Content-Length', String(length)]];
