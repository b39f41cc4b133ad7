import type { JSX } from 'preact';
import { valueAt } from '../place';
import { call } from '../server';
import type { StudioEvents } from '../server';
import { heeded, history$, opened$, start, text$, useValue, written$ } from '../store';
import { Picture } from './picture';
import { JobSliders, Sliders, tune } from './sliders';

const STATES: Readonly<Record<StudioEvents['run']['state'], string>> = {
  none: 'No run yet',
  running: 'Running',
  paused: 'Paused',
  storing: 'Storing …',
  finished: 'Finished',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** A run as it goes, and what can be changed of it meanwhile. */
export function RunView(): JSX.Element {
  const reported = useValue(history$)?.reported;
  const state = reported?.run.state ?? 'none';
  const isReading = state === 'running' || state === 'paused';
  const isGoing = isReading || state === 'storing';
  const isEmpty = useValue(text$).trim() === '';
  return (
    <>
      <div class="bar">
        <div>
          <h2>Run</h2>
          <p class="faint">
            Into <code>{opened$.value?.database}</code>, beside the configuration.
          </p>
          <Elsewhere />
        </div>
        <div class="row">
          {isGoing ? (
            <>
              {isReading ? (
                <button class="quiet" onClick={() => tune({ paused: state === 'running' })}>
                  {state === 'paused' ? 'Go on' : 'Pause'}
                </button>
              ) : null}
              <button class="quiet" onClick={() => heeded(call('cancel', {})).subscribe()}>
                Cancel
              </button>
            </>
          ) : (
            <button class="strong" disabled={isEmpty} onClick={start}>
              Run
            </button>
          )}
        </div>
      </div>
      <Counts reported={reported} name={STATES[state]} state={state} />
      {reported?.run.message === undefined ? null : <p class="problem">{reported.run.message}</p>}
      <Sliders isGoing={isReading} />
      {reported === undefined || state === 'none' ? (
        <div class="empty">
          <p>Press Run to load all items into a database file.</p>
          <p class="faint">Each request becomes a bar; you can slow the run down, pause it or cancel it.</p>
        </div>
      ) : (
        <>
          <JobSliders key={reported.run.number} reported={reported} />
          <Picture />
          <Jobs reported={reported} />
        </>
      )}
    </>
  );
}

function Counts({
  reported,
  name,
  state,
}: {
  readonly reported: StudioEvents | undefined;
  readonly name: string;
  readonly state: string;
}): JSX.Element {
  const jobs = reported?.jobs ?? [];
  const sum = (key: 'requests' | 'items' | 'pages' | 'retries' | 'held'): string =>
    jobs.reduce((all, job) => all + job[key], 0).toLocaleString('en');
  return (
    <dl class="counts">
      <div>
        <dt>State</dt>
        <dd class={`run-${state}`}>
          <span role="status">{name}</span>
          {reported?.run.state === 'storing' ? <span class="faint"> {storingFor(reported)} s</span> : null}
        </dd>
      </div>
      {[
        ['Requests', sum('requests')],
        ['Pages', sum('pages')],
        ['Items', sum('items')],
        ['Retries', sum('retries')],
        ['Pages held', sum('held')],
        ['Seconds', ((reported?.at ?? 0) / 1_000).toFixed(1)],
      ].map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Seconds since all was read. */
const storingFor = ({ at, run: { startedAt = 0, storingAt = startedAt } }: StudioEvents): string =>
  ((at - (storingAt - startedAt)) / 1_000).toFixed(1);

/** The state of a job that fits that of the run: what was read is complete only when it is stored, and a run that was cancelled has no job that runs. */
function stateOf(job: StudioEvents['jobs'][number], run: StudioEvents['run']['state']): string {
  if (job.id === 'login') return '';
  if (run === 'storing') return job.state === 'complete' || job.state === 'finished' ? 'read' : job.state;
  if (run === 'running' || run === 'paused') return job.state === 'finished' ? 'read' : job.state;
  return job.state === 'running' ? run : job.state;
}

function Jobs({ reported }: { readonly reported: StudioEvents }): JSX.Element {
  return (
    <div class="grid" role="region" aria-label="Jobs of the run" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {['Job', 'State', 'Requests', 'Under way', 'Retries', 'Pages', 'Items', 'Bytes', 'Held'].map((name, at) => (
              <th key={name} scope="col" class={at > 1 ? 'number' : ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {reported.jobs.map((job) => (
            <tr key={job.id}>
              <th scope="row">{job.name}</th>
              <td>{stateOf(job, reported.run.state)}</td>
              {[job.requests, job.running, job.retries, job.pages, job.items, job.bytes, job.held].map((value, at) => (
                <td key={at} class="number">
                  {value.toLocaleString('en')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Marks />
    </div>
  );
}

const MOST_SHOWN = 100;

/** What a reader of the picture sees in it, in words: logins, pauses, retries and warnings, the last ones first. */
function Marks(): JSX.Element {
  const marks = history$.value?.marks ?? [];
  const warnings = marks.filter(({ kind }) => kind === 'warning');
  const others = marks.filter(({ kind }) => kind !== 'warning').slice(-MOST_SHOWN);
  return (
    <>
      {warnings.length === 0 ? null : (
        <ul class="marks" aria-label="Warnings">
          {warnings.map(({ at, text }, order) => (
            <li key={`${order} ${at}`}>{text}</li>
          ))}
        </ul>
      )}
      {others.length === 0 ? null : (
        <details class="happened">
          <summary>What happened</summary>
          <ol>
            {others.reverse().map(({ at, text }, order) => (
              <li key={`${others.length - order} ${at}`}>
                <b>{(at / 1_000).toFixed(1)} s</b> {text}
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

/** Says that the destinations of the configuration are left alone, where it has some. */
function Elsewhere(): JSX.Element {
  const sinks = valueAt(useValue(written$).value, ['config', 'sinks']);
  if (!Array.isArray(sinks) || sinks.length === 0) return <></>;
  return (
    <p class="faint">
      What <code>config.sinks</code> names is left alone here: <code>headwater run</code> writes there.
    </p>
  );
}
