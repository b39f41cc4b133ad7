/** The store in examples/mysql-store.cjs keeps the contract of sinks, against a server, with the package it names taken from src/. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { destinationOf } from '../../../src';
import type { SinkDefinition } from '../../../src/components';
import { describeSink } from '../../../src/testing';
import type { ContractPlace, ReadRow } from '../../../src/testing';
import { describeAvailable, flip } from '../../support/adapters';

jest.mock('headwater', () => jest.requireActual<object>('../../../src'), { virtual: true });
jest.mock('headwater/components', () => jest.requireActual<object>('../../../src/components'), { virtual: true });

const url = process.env.HEADWATER_TEST_MYSQL;
const needs = url === undefined ? 'HEADWATER_TEST_MYSQL: scripts/services.sh run npm run test:all' : undefined;

async function query(sql: string): Promise<readonly ReadRow[]> {
  const connection = await createConnection({ uri: url ?? '', supportBigNumbers: true, bigNumberStrings: true });
  try {
    const [rows] = await connection.query(sql);
    return rows as ReadRow[];
  } finally {
    await connection.end();
  }
}

async function place(): Promise<ContractPlace> {
  const mysql = jest.requireActual<SinkDefinition>('../../../examples/mysql-store.cjs');
  const base = `contract_${randomUUID().replaceAll('-', '')}`;
  const folder = await mkdtemp(join(tmpdir(), 'headwater-mysql-'));
  await query(`CREATE DATABASE ${base}`);
  const address = `${(url ?? '').replace(/[^/]*$/, base)}?folder=${folder}`;
  return {
    sink: (outputs) => destinationOf(address, { components: [mysql] })(outputs),
    read: async (table) => {
      const found = `SELECT 1 FROM information_schema.tables WHERE table_schema = '${base}' AND table_name = '${table}'`;
      return (await query(found)).length === 0 ? [] : query(`SELECT * FROM ${base}.\`${table}\``);
    },
    damage: async () => {
      const [own = ''] = await readdir(folder);
      await flip(join(folder, own, '0.data'));
    },
    remove: async () => {
      await query(`DROP DATABASE ${base}`);
      await rm(folder, { recursive: true });
    },
  };
}

describeSink(
  { name: 'mysql, a store of a user', makes: 'tables', place },
  { describe: (name, body) => describeAvailable(name, needs, body), it },
);
