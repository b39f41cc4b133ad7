import { oneOfAnyCase } from './primitives';

const LOGIN_METHODS = ['GET', 'POST', 'FORM'] as const;
/** How the requests of a job may be sent. */
export const METHODS = [...LOGIN_METHODS, 'PUT', 'PATCH', 'DELETE'] as const;

/** `method` of a login request (docs/language/authentication.md#logging-in), in any case. */
export const loginMethod = oneOfAnyCase('LoginMethod', LOGIN_METHODS);

/**
 * `method` of a job or a scroll request (docs/language/requests.md#methods, docs/extensions/request-bodies.md), in any
 * case.
 */
export const httpMethod = oneOfAnyCase('Method', METHODS);
