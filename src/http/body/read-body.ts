import { isUtf8 } from 'node:buffer';
import { decodeUtf8 } from '../../json/utf8';
import type { Json, Response } from '../../model';
import type { ChosenFormat } from '../formats/define';
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
