import { withoutBrackets } from '../../core/json/brackets';
import { jsonPathFault } from '../../core/json/json-path';
import { noting, type Codec, type Input } from './codec';
import type { Finding, Path } from './finding';
import { text } from './primitives';
import { ignored, mistaken } from './unknown-key';

/**
 * What is wrong with a path in JSON (docs/language/README.md#paths): what begins like a JSON path and is none is a mistake;
 * a position in brackets is part of a key, which its author may have meant.
 */
export function pathNotes(written: Input, path: Path): readonly Finding[] {
  if (typeof written !== 'string') return [];
  const fault = jsonPathFault(written);
  if (fault !== undefined)
    return [{ path, ...mistaken(`is no JSON path (RFC 9535), although it begins like one: ${fault}`) }];
  const meant = withoutBrackets(written);
  return meant === undefined ? [] : [{ path, ...ignored(bracketsNote(written, meant)) }];
}

/** What is said of a path with brackets. */
export const bracketsNote = (written: string, meant: string): string =>
  `takes the brackets in "${written}" for a part of a key; did you mean "${meant}"?`;

/** A path in JSON. */
export const path: Codec<string> = noting(text, pathNotes);
