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
  duration_seconds: 'Seconds',
  requests: 'Requests',
  retries: 'Retries',
  warnings: 'Warnings',
  pages: 'Pages',
  items: 'Items',
  run_id: 'Id',
};

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
          <p class="faint">Those that were stored, the last one first.</p>
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
          columns={Object.values(SHOWN).map((name) => ({ name }))}
          rows={runs.rows.map((row) => places.map((place) => row[place]))}
        />
      )}
    </>
  );
}
