import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { EMPTY, catchError, defer, exhaustMap, timer } from 'rxjs';
import type { Observable } from 'rxjs';
import { call } from '../server';
import type { ClusterRunLine, ClusterRunNow, WorkerPart } from '../server';
import { opened$, useValue } from '../store';

const EVERY_MS = 1_000;
const MOST_PARTS = 200;

/** Asks again and again, one after the other; says nothing while the server is away, which its own view shows. */
const watched = <T,>(ask: () => Observable<T>, failed: (message: string | undefined) => void): Observable<T> =>
  timer(0, EVERY_MS).pipe(
    exhaustMap(() =>
      defer(ask).pipe(
        catchError((error: unknown) => {
          failed(error instanceof Error ? error.message : String(error));
          return EMPTY;
        }),
      ),
    ),
  );

/** The runs of a cluster, and one of them by its workers. */
export function ClusterView(): JSX.Element {
  const [runs, setRuns] = useState<readonly ClusterRunLine[]>();
  const [chosen, choose] = useState<string>();
  const [now, setNow] = useState<ClusterRunNow>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const asking = watched(() => call('clusterRuns', {}), setProblem).subscribe((found) => {
      setRuns(found);
      // Where there are some, it is the one that is shown which clears what was wrong.
      if (found.length === 0) setProblem(undefined);
    });
    return () => asking.unsubscribe();
  }, []);
  const shown = chosen ?? runs?.[0]?.runId;
  useEffect(() => {
    setNow(undefined);
    setProblem(undefined);
    if (shown === undefined) return undefined;
    const asking = watched(() => call('clusterRun', { run: shown }), setProblem).subscribe((found) => {
      setProblem(undefined);
      setNow(found);
    });
    return () => asking.unsubscribe();
  }, [shown]);
  return (
    <>
      <div class="bar">
        <div>
          <h2>Cluster</h2>
          <p class="faint">
            Runs at <code>{useValue(opened$)?.cluster}</code>, the last one first. Times are UTC.
          </p>
        </div>
      </div>
      {problem === undefined ? null : <p class="problem">{problem}</p>}
      {runs === undefined ? null : runs.length === 0 ? (
        <div class="empty">
          <p>There are no runs yet.</p>
          <p class="faint">
            <code>headwater submit</code> starts one.
          </p>
        </div>
      ) : (
        <Runs runs={runs} shown={shown} choose={choose} />
      )}
      {now === undefined ? null : <RunNow run={now} />}
    </>
  );
}

function Runs({
  runs,
  shown,
  choose,
}: {
  readonly runs: readonly ClusterRunLine[];
  readonly shown: string | undefined;
  readonly choose: (run: string) => void;
}): JSX.Element {
  return (
    <div class="grid cluster-runs" role="region" aria-label="Runs of the cluster" tabIndex={0}>
      <table>
        <Head names={['Run', 'State', 'Configuration', 'Destination', 'Started', 'Seconds']} numbers={5} />
        <tbody>
          {runs.map(({ runId, status, configuration, destination, startedAt, endedAt = Date.now() }) => (
            <tr key={runId}>
              <th scope="row">
                <button class="quiet" aria-pressed={runId === shown} onClick={() => choose(runId)}>
                  {runId}
                </button>
              </th>
              <td>{status}</td>
              <td>{configuration}</td>
              <td>{destination}</td>
              <td>{new Date(startedAt).toISOString().slice(0, 19).replace('T', ' ')}</td>
              <td class="number">{seconds(endedAt - startedAt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RunNow({ run: { runId, status, progress, parts } }: { readonly run: ClusterRunNow }): JSX.Element {
  const running = parts.filter(({ state }) => state === 'running');
  const workers = new Set(running.map(({ worker }) => worker)).size;
  const counts: readonly (readonly [string, number | undefined])[] = [
    ['Workers', workers],
    ['Parts done', progress?.done],
    ['Under way', progress?.running ?? running.length],
    ['Waiting', progress?.waiting],
    ['Pages', progress?.pages],
    ['Items', progress?.items],
    ['Requests', progress?.requests],
    ['Retries', progress?.retries],
  ];
  return (
    <>
      <h3>{runId}</h3>
      <dl class="counts">
        <div>
          <dt>State</dt>
          <dd>
            <span role="status">{status === 'running' ? (progress?.state ?? status) : status}</span>
          </dd>
        </div>
        {counts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value?.toLocaleString('en') ?? '–'}</dd>
          </div>
        ))}
      </dl>
      {parts.length === 0 ? null : <Parts parts={parts} />}
    </>
  );
}

function Parts({ parts }: { readonly parts: readonly WorkerPart[] }): JSX.Element {
  return (
    <div class="grid" role="region" aria-label="Parts by worker" tabIndex={0}>
      <table>
        <Head names={['Worker', 'Part', 'State', 'Attempt', 'Seconds', 'Pages', 'Items']} numbers={3} />
        <tbody>
          {parts
            .slice(0, MOST_PARTS)
            .map(({ name, worker, state, attempt, for: long = 0, pages, items, failure }, at) => (
              <tr key={name}>
                <th scope="row">{parts[at - 1]?.worker === worker && at > 0 ? '″' : (worker ?? '–')}</th>
                <td>
                  {name}
                  {failure === undefined || attempt === 1 ? null : <small class="failure">{failure}</small>}
                </td>
                <td>{state === 'running' ? state : attempt > 1 ? 'again soon' : 'waits'}</td>
                {[attempt, seconds(long), pages, items].map((value, column) => (
                  <td key={column} class="number">
                    {value?.toLocaleString('en') ?? '–'}
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
      {parts.length > MOST_PARTS ? (
        <p class="faint">{(parts.length - MOST_PARTS).toLocaleString('en')} more parts are not shown.</p>
      ) : null}
    </div>
  );
}

const Head = ({ names, numbers }: { readonly names: readonly string[]; readonly numbers: number }): JSX.Element => (
  <thead>
    <tr>
      {names.map((name, at) => (
        <th key={name} scope="col" class={at >= numbers ? 'number' : ''}>
          {name}
        </th>
      ))}
    </tr>
  </thead>
);

const seconds = (milliseconds: number): number => Math.round(milliseconds / 1_000);
