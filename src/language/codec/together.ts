import { getSemigroup } from 'fp-ts/lib/Array';
import { sequenceS } from 'fp-ts/lib/Apply';
import { getApplicativeValidation } from 'fp-ts/lib/Either';
import type { ValidationError } from 'io-ts';

/** All parts, or the faults of all of them. */
export const together = sequenceS(getApplicativeValidation(getSemigroup<ValidationError>()));
