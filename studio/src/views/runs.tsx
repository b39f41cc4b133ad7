import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { switchMap } from 'rxjs';
import { call } from '../server';
import type { Rows } from '../server';
import { ended$, heeded } from '../store';
import { Grid } from './grid';

const SHOWN = {
  started_at: 'Started',
  outcome: 'Outcome',
  items: 'Items',
  pages: 'Pages',
  requests: 'Requests',
  retries: 'Retries',
  warnings: 'Warnings',
  duration_seconds: 'Seconds',
  run_id: 'Id',
};

const TEXTS: ReadonlySet<string> = new Set(['started_at', 'outcome', 'run_id']);

/** Moments are those of UTC, to the second. */
const withoutZone = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?:\.\d+)?\+00$/, '$1') : value;

/** Runs that the database has kept. */
export function RunsView(): JSX.Element {
  const [runs, setRuns] = useState<Rows>();
  useEffect(() => {
    const asking = ended$.pipe(switchMap(() => heeded(call('runs', {})))).subscribe(setRuns);
    return () => asking.unsubscribe();
  }, []);
  const places = Object.keys(SHOWN).map((name) => runs?.columns.findIndex((column) => column.name === name) ?? -1);
  return (
    <>
      <div class="bar">
        <div>
          <h2>Past runs</h2>
          <p class="faint">Those that were stored, the last one first. Times are UTC.</p>
        </div>
      </div>
      {runs === undefined ? null : runs.rows.length === 0 ? (
        <div class="empty">
          <p>There are no past runs yet.</p>
          <p class="faint">A run that ends well is listed here.</p>
        </div>
      ) : (
        <Grid
          label="Past runs"
          columns={Object.entries(SHOWN).map(([key, name]) => ({ name, isNumber: !TEXTS.has(key) }))}
          rows={runs.rows.map((row) => places.map((place) => withoutZone(row[place])))}
        />
      )}
    </>
  );
}
