import type * as Winston from 'winston';

/** Loads winston with the first logger: most applications have a logger of their own. */
export const winston = (): typeof Winston => require('winston') as typeof Winston;
