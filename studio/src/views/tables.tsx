import { closeCompletion } from '@codemirror/autocomplete';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { EMPTY, Subject, catchError, finalize, switchMap, takeUntil, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { sqlEditor } from '../editor';
import { call, Refused } from '../server';
import type { Rows, TableFacts } from '../server';
import { ended$, heeded, opened$, stop$ } from '../store';
import { Stop } from './field';
import { Grid } from './grid';

/** The profile of a column, as far as it is shown: names of DuckDB and of the page. */
const PROFILE = {
  column_name: 'Column',
  column_type: 'Type',
  min: 'Min',
  max: 'Max',
  approx_unique: 'Distinct (approx.)',
  null_percentage: 'Null %',
};

const COUNTS: ReadonlySet<string> = new Set(['approx_unique', 'null_percentage']);

const quoted = (name: string): string => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);
const nameOf = ({ schema, name }: TableFacts): string =>
  schema === 'main' ? quoted(name) : `${quoted(schema)}.${quoted(name)}`;

const counted = (rows: number): string => `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`;

/** What was loaded. */
export function TablesView(): JSX.Element {
  const [tables, setTables] = useState<readonly TableFacts[]>();
  const [chosen, setChosen] = useState<TableFacts>();
  useEffect(() => {
    const asking = ended$.pipe(switchMap(() => heeded(call('tables', {})))).subscribe((found) => {
      setTables(found);
      setChosen(found[0]);
    });
    return () => asking.unsubscribe();
  }, []);
  return (
    <>
      <div class="bar">
        <div>
          <h2>Tables</h2>
          <p class="faint">
            In <code>{opened$.value?.database}</code>
          </p>
        </div>
      </div>
      {tables === undefined ? null : tables.length === 0 || chosen === undefined ? (
        <div class="empty">
          <p>There are no tables yet.</p>
          <p class="faint">A run makes them.</p>
        </div>
      ) : (
        <>
          <div class="choices" role="group" aria-label="Tables">
            {tables.map((table) => (
              <button
                key={nameOf(table)}
                class="choice"
                aria-pressed={table === chosen}
                onClick={() => setChosen(table)}
              >
                <b>{table.name}</b> <small>{counted(table.rows)}</small>
              </button>
            ))}
          </div>
          <Query key={`query ${nameOf(chosen)}`} table={chosen} tables={tables} />
          <Profile key={`profile ${nameOf(chosen)}`} table={chosen} />
        </>
      )}
    </>
  );
}

function Query({ table, tables }: { readonly table: TableFacts; readonly tables: readonly TableFacts[] }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const text = useRef(`SELECT * FROM ${nameOf(table)} LIMIT 100`);
  const editor = useRef<() => string>(() => text.current);
  const [result, setResult] = useState<Rows>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [asked$] = useState(() => new Subject<string>());
  useEffect(() => {
    if (place.current === null) return undefined;
    const names = tables.flatMap((each) => [nameOf(each), ...each.columns.map(quoted)]);
    const view = sqlEditor(place.current, text.current, names, (sql) => asked$.next(sql));
    editor.current = () => {
      closeCompletion(view);
      return view.state.doc.toString();
    };
    // The server ends a query that nobody waits for: another one was asked, or another table is looked at.
    const asking = asked$.pipe(switchMap(answered)).subscribe(setResult);
    return () => {
      asking.unsubscribe();
      view.destroy();
    };
  }, []);
  const answered = (sql: string): Observable<Rows> => {
    setBusy(true);
    setProblem(undefined);
    const stopped$ = stop$.pipe(tap(() => setProblem('The query was stopped.')));
    return call('query', { sql }).pipe(
      takeUntil(stopped$),
      catchError((error: unknown) => {
        setProblem(error instanceof Refused ? error.message : String(error));
        return EMPTY;
      }),
      finalize(() => setBusy(false)),
    );
  };
  return (
    <section class="card" aria-label="Query">
      <h3>Query</h3>
      <div class="row sql">
        <div class="sql-editor" ref={place} />
        <button class="strong" disabled={isBusy} onClick={() => asked$.next(editor.current())}>
          Run query
        </button>
        {isBusy ? <Stop /> : null}
      </div>
      {problem === undefined ? null : <p class="problem sql-problem">{problem}</p>}
      {result === undefined ? null : (
        <>
          <Grid label="Result" columns={result.columns} rows={result.rows} />
          <p class="faint" role="status">
            {result.isCut
              ? `The first ${counted(result.rows.length)}. There are more.`
              : `${counted(result.rows.length)}.`}
          </p>
        </>
      )}
    </section>
  );
}

function Profile({ table }: { readonly table: TableFacts }): JSX.Element {
  const [profile, setProfile] = useState<Rows>();
  useEffect(() => {
    const asking = heeded(call('profile', { schema: table.schema, table: table.name })).subscribe(setProfile);
    return () => asking.unsubscribe();
  }, []);
  if (profile === undefined) return <></>;
  const places = Object.keys(PROFILE).map((name) => profile.columns.findIndex((column) => column.name === name));
  return (
    <section class="card" aria-label="Columns">
      <h3>Columns of {table.name}</h3>
      <Grid
        label={`Columns of ${table.name}`}
        columns={Object.entries(PROFILE).map(([key, name]) => ({ name, isNumber: COUNTS.has(key) }))}
        rows={profile.rows.map((row) => places.map((place) => row[place]))}
      />
    </section>
  );
}
