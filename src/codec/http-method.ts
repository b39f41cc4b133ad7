import { oneOfAnyCase } from './primitives';

const LOGIN_METHODS = ['GET', 'POST', 'FORM'] as const;

/** `method` of a login request (specification 4.1), in any case. */
export const loginMethod = oneOfAnyCase('LoginMethod', LOGIN_METHODS);

/** `method` of a job or a scroll request (language 3.1, docs/extensions/request-bodies.md), in any case. */
export const httpMethod = oneOfAnyCase('Method', [...LOGIN_METHODS, 'PUT', 'PATCH', 'DELETE']);
