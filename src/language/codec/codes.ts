import * as t from 'io-ts';
import { isBlank } from '../../core/json/blank';
import { isList } from '../../core/json/keys';
import { codec, type Codec } from './codec';
import { integer, list } from './primitives';

/** A given list replaces the default; so an empty one switches off what the codes are for. */
export const codesOr = (whenAbsent: readonly number[], code = integer): Codec<readonly number[]> => {
  const codes = list(code);
  return codec('Codes', codes.schema, (input, context) =>
    isBlank(input) && !isList(input) ? t.success(whenAbsent) : codes.validate(input, context),
  );
};
