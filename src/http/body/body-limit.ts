import { LONGEST_BODY } from '../formats/longest-body';

export { LONGEST_BODY };

/** A body has more than {@link LONGEST_BODY} bytes. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong';
}
