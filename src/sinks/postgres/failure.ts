import { inspect } from 'node:util';
import { FatalError } from '../../core/errors/errors';
import type { ErrorCode } from '../../core/errors/errors';
import type { PostgresAddress } from './address';

/** An error of the PostgreSQL server. */
export interface ServerError extends Error {
  /** The SQLSTATE. */
  readonly code: string;
  readonly detail?: string;
  readonly where?: string;
}

/** Where something failed, for people. */
export interface FailurePlace {
  readonly table?: string;
  /** The number of rows of the table before those that were being loaded. */
  readonly rowsBefore?: number;
}

/** The parts of the address of a destination that its errors need. */
export type FailedAddress = Pick<PostgresAddress, 'name' | 'secrets' | 'files'>;

/** The server stops or starts, has too many connections, or had two transactions in each other's way. */
const PASSING_STATES = ['57P01', '57P02', '57P03', '53300', '40001', '40P01'];
const CONNECTION_CLASS = '08';
const PROTOCOL_VIOLATION = '08P01';
const PASSING_NETWORK = [
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EAI_AGAIN'],
  // Of a socket of the file system: the server makes it when it starts.
  'ENOENT',
];

/** Nobody else may write to the destination at the same time. */
export class BusyError extends Error {}

/** The error as the server gave it, where it did. */
export const asServerError = (error: unknown): ServerError | undefined =>
  error instanceof Error && 'severity' in error && 'code' in error && typeof error.code === 'string'
    ? (error as ServerError)
    : undefined;

/** Whether the same may succeed a little later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof BusyError) return true;
  const state = asServerError(error)?.code;
  if (state !== undefined)
    return PASSING_STATES.includes(state) || (state.startsWith(CONNECTION_CLASS) && state !== PROTOCOL_VIOLATION);
  const { code, syscall } = error as NodeJS.ErrnoException;
  // A file of the URL, say of a certificate: nobody is going to make it now.
  if (syscall === 'open') return false;
  return code !== undefined && PASSING_NETWORK.includes(code);
}

/**
 * The error for people: what, in which table and row, and what to do.
 *
 * @example throw postgresFailure('SINK_FAILED', address, error, { table: 'user' });
 */
export function postgresFailure(
  code: ErrorCode,
  address: FailedAddress,
  error: unknown,
  place: FailurePlace = {},
): FatalError {
  if (error instanceof FatalError) return error;
  const { name, secrets } = address;
  const table = place.table === undefined ? '' : `, table ${JSON.stringify(place.table)}`;
  const ending = error instanceof BusyError ? ENDINGS.locked : ENDINGS[code === 'SINK_FAILED' ? 'failed' : 'unusable'];
  const said = secrets.mask(saidBy(error, place, address));
  const shown = inspect(error);
  // The original error is left out where it would show a secret.
  const cause = secrets.mask(shown) === shown ? { cause: error } : {};
  const message = `The destination ${name}${table} ${ending.problem}: ${said}. ${ending.remedy}`;
  return new FatalError(ending.code ?? code, message, { ...cause, table: place.table, destination: name });
}

interface Ending {
  /** The code of the error, where it is not that of the work which failed. */
  readonly code?: ErrorCode;
  readonly problem: string;
  readonly remedy: string;
}

const ENDINGS: Readonly<Record<'locked' | 'unusable' | 'failed', Ending>> = {
  locked: { code: 'DESTINATION_LOCKED', problem: 'cannot be used', remedy: 'Nothing was changed.' },
  unusable: { problem: 'cannot be used', remedy: 'Correct the destination, or its rights, and run again.' },
  failed: {
    problem: 'took no more',
    remedy:
      'The rows of earlier runs are as they were, and the pages of this run are kept: put this right, then go on with --resume.',
  },
};

function saidBy(error: unknown, { rowsBefore }: FailurePlace, { files }: FailedAddress): string {
  const server = asServerError(error);
  if (server === undefined) {
    const { code, message, path = '' } = error as NodeJS.ErrnoException;
    const parameter = files.get(path);
    if (parameter !== undefined)
      return `the file that its parameter ${parameter} names cannot be read (${code ?? message})`;
    return message === '' ? String(code) : message;
  }
  const row = /, line (\d+)/.exec(server.where ?? '')?.[1];
  const counted =
    row === undefined || rowsBefore === undefined ? undefined : `row ${rowsBefore + Number(row)} of the run`;
  const more = [counted, server.detail, server.where, `SQLSTATE ${server.code}`];
  return `${server.message} (${more.filter((part) => part !== undefined && part !== '').join('; ')})`;
}
