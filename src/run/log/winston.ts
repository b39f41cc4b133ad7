import type * as Winston from 'winston';

/** Loaded by the first logger: most applications have one of their own. */
export const winston = (): typeof Winston => require('winston') as typeof Winston;
