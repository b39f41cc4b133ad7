import { nested, visibility } from '../options';
import type { SinkOutline } from '../../language/parts/sink';

/** The manual entry of the sink. */
export const outline = {
  kind: 'sink',
  name: 'postgres',
  summary: 'Tables in a PostgreSQL database.',
  use: 'Use it if several programs or people read the tables, also during a run.',
  schemes: ['postgres', 'postgresql'],
  address: ['postgres://…'],
  example: 'postgres://me@localhost/sales?schema=crm',
  rules: [
    'All tables change in one transaction.',
    'Pages wait in a schema of the same database until the commit.',
    'With `visibility: page`, added rows are shown [before the commit](../../sinks.md#rows-before-the-commit), each once, with `_load_id` in a column.',
    'Headwater waits up to a minute for a server that is away, and writes nothing twice.',
    'Install pg and pg-copy-streams.',
  ],
  makes: 'tables',
  options: { nested, visibility },
} as const satisfies SinkOutline;
