/** A body is not what its format says. The message tells why, without quoting the body. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
