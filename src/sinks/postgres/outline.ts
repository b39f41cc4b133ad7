import { nested, visibility } from '../options';
import type { SinkOutline } from '../../language/parts/sink';

/** The manual entry of the sink. */
export const outline = {
  kind: 'sink',
  name: 'postgres',
  summary: 'Tables of a PostgreSQL database: one a dataType, and one for the lists at each place in its items.',
  use: 'Choose it where several programs or people read the tables, also while a run is going on.',
  schemes: ['postgres', 'postgresql'],
  address: ['postgres://…'],
  example: 'postgres://me@localhost/sales?schema=crm',
  rules: [
    'All tables change in one transaction: readers see the old rows or the new ones.',
    'Objects become columns and lists become linked tables; with `nested: json` each is one column of JSON.',
    'Pages wait in a schema of the same database until the commit.',
    'With `visibility: page` a run that adds rows shows them as they come, each once, with `_load_id` in a column of its own (docs/sinks.md#rows-before-the-commit).',
    'A server that is away is waited for, up to a minute, and nothing is written twice.',
    'The packages pg and pg-copy-streams have to be installed.',
  ],
  makes: 'tables',
  options: { nested, visibility },
} as const satisfies SinkOutline;
