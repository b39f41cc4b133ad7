import { inspect } from 'node:util';
import { extract } from '../../../src';
import { postgresAddress } from '../../../src/sinks/postgres/address';
import { isPassing, postgresFailure } from '../../../src/sinks/postgres/session';
import { postgresSink as postgres } from '../../../src/sinks/postgres';

const failed = (error: Error, url: string): string =>
  inspect(postgresFailure('DESTINATION_ADDRESS', postgresAddress(url), error), { depth: 9 });

describe('postgresAddress', () => {
  it('names the destination without credentials and without the parameters of the driver', () => {
    const url = 'postgres://me:s3cret@h:5433/sales?schema=crm&sslcert=/k3ys/client.pem&sslmode=require&password=s3cret';
    expect(postgresAddress(url).name).toBe('postgres://h:5433/sales?schema=crm');
  });

  it.each([
    'postgres://me:12/s3cret@h/sales',
    'postgres://me:12?s3cret@h/sales',
    'postgres://me:12#s3cret@h/sales',
    'postgres://me:s3cret/x@h/sales',
    's3cret',
  ])('refuses %s without showing it', (url) => {
    const refused = expect(() => postgresAddress(url));
    refused.toThrow(expect.objectContaining({ code: 'DESTINATION_ADDRESS' }) as Error);
    refused.not.toThrow('s3cret');
  });
});

describe('errors of PostgreSQL show no secret of its URL', () => {
  const URL_OF_IT =
    'postgres://me:p%40ss-w0rd@h/sales?sslcert=/k3ys/client.pem&sslkey=/k3ys/client.key&password=0ther-pass';

  it.each(['p@ss-w0rd', 'p%40ss-w0rd', '/k3ys/client.pem', '/k3ys/client.key', '0ther-pass', URL_OF_IT])(
    '%s',
    (secret) => {
      const error = Object.assign(new Error(`it failed: ${secret}`), { detail: secret, input: secret });
      expect(failed(error, URL_OF_IT)).not.toMatch(/ss-w0rd|k3ys|0ther/);
    },
  );

  it.each(['sslcert', 'sslkey', 'sslrootcert'])(
    'a file of %s that cannot be read is named by the parameter',
    async (name) => {
      const { outputs } = extract({ api: { baseUrl: 'http://h' }, config: { jobs: [{ endpoint: 'a' }] } });
      const sink = postgres(`postgres://me@127.0.0.1:1/sales?sslmode=require&${name}=/n0where/at-all.pem`, outputs);
      const error = await sink.open().then(
        () => undefined,
        (failure: unknown) => failure,
      );
      await sink.close();
      expect(error).toMatchObject({
        code: 'DESTINATION_ADDRESS',
        message: expect.stringContaining(`the file that its parameter ${name} names cannot be read (ENOENT)`) as string,
      });
      expect(inspect(error, { depth: 9 })).not.toContain('n0where');
    },
  );

  it('waiting does not make a file', () => {
    const code = 'ENOENT';
    expect(isPassing(Object.assign(new Error('no such file'), { code, syscall: 'open' }))).toBe(false);
    expect(isPassing(Object.assign(new Error('no such socket'), { code, syscall: 'connect' }))).toBe(true);
  });
});
