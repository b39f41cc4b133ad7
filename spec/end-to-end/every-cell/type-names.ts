/** What databases call the types of columns, and how they quote names. */
import type { Type } from './types';

const TYPES: ReadonlyMap<string, Type> = new Map([
  ['BOOLEAN', 'boolean'],
  ['INTEGER', 'integer'],
  ['BIGINT', 'bigint'],
  ['DOUBLE', 'double'],
  ['DATE', 'date'],
  ['TIMESTAMP', 'timestamp'],
  ['TIMESTAMP WITH TIME ZONE', 'timestamptz'],
  ['JSON', 'json'],
  ['VARCHAR', 'text'],
  ['text', 'text'],
  ['double precision', 'double'],
  ['numeric', 'decimal'],
  ['timestamp without time zone', 'timestamp'],
  ['timestamp with time zone', 'timestamptz'],
  ['jsonb', 'json'],
]);

export const typeOf = (name: string): Type =>
  TYPES.get(name) ?? TYPES.get(name.toUpperCase()) ?? (name.startsWith('DECIMAL') ? 'decimal' : fail(name));

function fail(name: string): never {
  throw new Error(`the type ${name} is none that a sink makes`);
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
