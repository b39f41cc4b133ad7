/** Formats of responses, for specs. */
import { isRight } from 'fp-ts/Either';
import { responseFormat } from '../../src/language/configuration/jobs/format';
import { BUILT_IN } from '../../src/run/built-in-parts';
import type { ChosenFormat, GuessedFormat } from '../../src/language/parts/format';
import type { Json } from '../../src/core/model';

/** The format that a configuration writes like this. */
export function chosenFormat(written: Json): ChosenFormat {
  const read = responseFormat(BUILT_IN).decode(written);
  if (isRight(read)) return read.right;
  throw new Error(`no format: ${JSON.stringify(written)}`);
}

/** What the content types of all formats say. */
export const CONTENT_TYPES: readonly GuessedFormat[] = [...BUILT_IN.format.values()].flatMap(
  ({ contentTypes }) => contentTypes,
);
