import { oneOfAnyCase } from './primitives';

/** `method` of a job, a login request or a scroll request (language 3.1), in any case. */
export const httpMethod = oneOfAnyCase('Method', ['GET', 'POST', 'FORM']);
