import { isUtf8 } from 'node:buffer';
import { decodeUtf8 } from '../../json/utf8';
import type { Json, Response } from '../../model';
import type { ChosenFormat, GuessedFormat } from '../formats/define';
import { json, readJson } from '../formats/json';
import { Unreadable } from '../formats/unreadable';
import { textOf } from './encoding';
import { unpack } from './unpack';

/** What a body turned out to be. */
export type Reading = { readonly kind: 'data'; readonly data: Json } | { readonly kind: 'empty' } | Invalid;
export interface Invalid {
  readonly kind: 'invalid';
  /** What it should have been. */
  readonly as: Pick<ChosenFormat, 'label' | 'isJson'>;
  readonly text: string;
  readonly reason: string;
}

/** What a body is that should have been JSON. */
export const JSON_BODY = { label: json.label, isJson: true };

/** Reads a body as JSON whatever its content type (docs/language/responses.md#reading). */
export function readAsJson(body: Uint8Array): Reading {
  const text = decodeUtf8(body);
  // Text may be all gone because its bytes were invalid.
  return isBlank(text) && isUtf8(body) ? { kind: 'empty' } : reading(JSON_BODY, text, () => readJson(text));
}

/** Reads a body by the format that the configuration gives it; a gzip file is unpacked. */
export function readAs(format: ChosenFormat, { body, headers }: Response): Reading {
  try {
    if (format.isJson) return readAsJson(unpack(body));
    const text = textOf(unpack(body), format, String(headers['content-type'] ?? ''));
    if (isBlank(text)) return { kind: 'empty' };
    return reading(format, text, () => format.read(text));
  } catch (error) {
    return invalid(format, decodeUtf8(body), error);
  }
}

/** White space as JSON has it; anything else is something that the API has said. */
const isBlank = (text: string): boolean => /^[ \t\r\n]*$/.test(text);

function reading(as: Invalid['as'], text: string, read: () => Json): Reading {
  try {
    return { kind: 'data', data: read() };
  } catch (error) {
    return invalid(as, text, error);
  }
}

function invalid({ label, isJson }: Invalid['as'], text: string, error: unknown): Reading {
  if (error instanceof Unreadable) return { kind: 'invalid', as: { label, isJson }, text, reason: error.message };
  throw error;
}

/**
 * The format that the content type of a response names, if the body looks like it: for bodies that are no JSON.
 *
 * @param known the content types of all formats
 * @example formatOf(BUILT_IN.contentTypes, response, '<feed/>')?.label // 'XML', for application/atom+xml; charset=utf-8
 */
export function formatOf(
  known: readonly GuessedFormat[],
  { headers }: Pick<Response, 'headers'>,
  text: string,
): GuessedFormat['format'] | undefined {
  const type = (String(headers['content-type'] ?? '').split(';', 1)[0] ?? '').trim().toLowerCase();
  return known.find((each) => each.type.test(type) && each.begins.test(text))?.format;
}

/** The bytes at the beginning of a body that tell whether it is JSON. */
const BEGINNING = 100;

/**
 * Whether a body that is read as JSON holds bytes that are no UTF-8. They are dropped
 * (docs/language/README.md#json-without-loss), so a string may lack characters.
 *
 * @example isDamagedJson(undefined, Buffer.from('["caf\xe9"]', 'latin1')) // true
 */
export const isDamagedJson = (format: ChosenFormat | undefined, body: Uint8Array): boolean =>
  (format === undefined || format.isJson) && !isUtf8(body) && /^\s*[[{]/.test(decodeUtf8(body.subarray(0, BEGINNING)));
