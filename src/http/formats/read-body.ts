import { isUtf8 } from 'node:buffer';
import type { ResponseFormat } from '../../config/configuration';
import { decodeUtf8 } from '../../json/utf8';
import type { Json, Response } from '../../model';
import { formatOf } from './content-type';
import { readCsv } from './csv';
import { readJson } from './json';
import { readJsonLines } from './json-lines';
import { textOf } from './text';
import { unpack } from './unpack';
import { Unreadable } from './unreadable';
import { readXml } from './xml';

/** What a body turned out to be. */
export type Reading = { readonly kind: 'data'; readonly data: Json } | { readonly kind: 'empty' } | Invalid;
export interface Invalid {
  readonly kind: 'invalid';
  readonly as: Language;
  readonly text: string;
  readonly reason: string;
}

/** Formats by the names that messages give them. */
export type Language = (typeof LANGUAGES)[ResponseFormat['type']];
const LANGUAGES = { json: 'JSON', xml: 'XML', csv: 'CSV', jsonl: 'JSON lines', text: 'text' } as const;

/** Reads a body as JSON whatever its content type (language 2.8). */
export function readAsJson(body: Uint8Array): Reading {
  const text = decodeUtf8(body);
  // Text may be all gone because its bytes were invalid.
  return isBlank(text) && isUtf8(body) ? { kind: 'empty' } : reading('JSON', text, () => readJson(text));
}

/** Reads a body by the format that the configuration gives it; a gzip file is unpacked. */
export function readAs(format: ResponseFormat, { body, headers }: Response): Reading {
  const as = LANGUAGES[format.type];
  try {
    if (format.type === 'json') return readAsJson(unpack(body));
    const text = textOf(unpack(body), format, String(headers['content-type'] ?? ''));
    if (isBlank(text)) return { kind: 'empty' };
    return reading(as, text, () => valueOf(format, text));
  } catch (error) {
    return invalid(as, decodeUtf8(body), error);
  }
}

/** Reads a body that is no JSON by its content type; `undefined` when that names no format, or another one. */
export function readByContentType(response: Response, text: string): Reading | undefined {
  const format = formatOf(String(response.headers['content-type'] ?? ''), text);
  return format === undefined ? undefined : readAs(format, response);
}

/** Whether the content type names JSON lines. */
export const saysJsonLines = ({ headers }: Response): boolean =>
  formatOf(String(headers['content-type'] ?? ''), '{}')?.type === 'jsonl';

/** White space as JSON has it; anything else is something that the API has said. */
const isBlank = (text: string): boolean => /^[ \t\r\n]*$/.test(text);

function reading(as: Language, text: string, read: () => Json): Reading {
  try {
    return { kind: 'data', data: read() };
  } catch (error) {
    return invalid(as, text, error);
  }
}

function invalid(as: Language, text: string, error: unknown): Reading {
  if (error instanceof Unreadable) return { kind: 'invalid', as, text, reason: error.message };
  throw error;
}

function valueOf(format: ResponseFormat, text: string): Json {
  switch (format.type) {
    case 'json':
      return readJson(text);
    case 'xml':
      return readXml(text);
    case 'csv':
      return readCsv(text, format);
    case 'jsonl':
      return readJsonLines(text);
    case 'text':
      // As the text of a login (specification 5 rule 1).
      return { data: text };
  }
}
