/** What the page asked for and does not get; the message is for the person. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
