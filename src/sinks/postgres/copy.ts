import type { Client } from 'pg';
import { optionalPackage } from '../../core/optional-package';

/**
 * Loads lines as `copyLine` makes them with COPY.
 *
 * @param target the table and its columns, as SQL has them
 * @example await copyInto(client, '"user" ("id")', '1\n2\n')
 */
export async function copyInto(client: Client, target: string, lines: string): Promise<void> {
  const { from } = optionalPackage('postgres://', 'pg-copy-streams');
  const stream = client.query(from(`COPY ${target} FROM STDIN`));
  await new Promise<void>((resolve, reject) => {
    stream.on('error', (error) => {
      // What is left of the lines must not be sent: the server reads commands again.
      stream.destroy();
      reject(error);
    });
    stream.on('finish', resolve);
    stream.end(lines);
  });
}
