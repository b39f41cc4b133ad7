/** Statuses of HTTP. */

/**
 * Returns whether a status says that a request failed, by the client (4xx) or by the server (5xx).
 *
 * @example isFailure(404) // true
 */
export const isFailure = (status: number): boolean => status >= 400;
