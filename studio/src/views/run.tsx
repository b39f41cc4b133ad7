import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { animationFrameScheduler, auditTime } from 'rxjs';
import { call } from '../server';
import { heeded, history$, opened$, start, text$, useValue } from '../store';
import type { Telling } from '../store';
import { drawTimeline } from '../timeline';

const STATES: Readonly<Record<Telling['run']['state'], string>> = {
  none: 'No run yet',
  running: 'Running',
  paused: 'Paused',
  finished: 'Finished',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** A run as it goes, and what can be changed of it meanwhile. */
export function RunView(): JSX.Element {
  const told = useValue(history$)?.told;
  const state = told?.run.state ?? 'none';
  const isGoing = state === 'running' || state === 'paused';
  const isEmpty = useValue(text$).trim() === '';
  const tune = (settings: Readonly<Record<string, unknown>>): unknown => heeded(call('tune', settings)).subscribe();
  return (
    <>
      <div class="bar">
        <div>
          <h2>Run</h2>
          <p class="faint">
            Into <code>{opened$.value?.database}</code>, beside the configuration.
          </p>
        </div>
        <div class="row">
          {isGoing ? (
            <>
              <button class="quiet" onClick={() => tune({ paused: state === 'running' })}>
                {state === 'paused' ? 'Go on' : 'Pause'}
              </button>
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
      <Counts told={told} name={STATES[state]} state={state} />
      {told?.run.message === undefined ? null : <p class="problem">{told.run.message}</p>}
      <Sliders isGoing={isGoing} tune={tune} />
      {told === undefined || state === 'none' ? (
        <div class="empty">
          <p>Press Run to load all items into a database file.</p>
          <p class="faint">Each request becomes a bar; you can slow the run down, pause it or cancel it.</p>
        </div>
      ) : (
        <>
          <Picture />
          <Jobs told={told} />
        </>
      )}
    </>
  );
}

function Counts({
  told,
  name,
  state,
}: {
  readonly told: Telling | undefined;
  readonly name: string;
  readonly state: string;
}): JSX.Element {
  const jobs = told?.jobs ?? [];
  const sum = (key: 'requests' | 'items' | 'pages' | 'retries'): string =>
    jobs.reduce((all, job) => all + job[key], 0).toLocaleString('en');
  return (
    <dl class="counts">
      <div>
        <dt>State</dt>
        <dd class={`run-${state}`}>
          <span role="status">{name}</span>
        </dd>
      </div>
      {[
        ['Requests', sum('requests')],
        ['Pages', sum('pages')],
        ['Items', sum('items')],
        ['Retries', sum('retries')],
        ['Pages held', String(told?.held ?? 0)],
        ['Seconds', ((told?.at ?? 0) / 1_000).toFixed(1)],
      ].map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Of the last step of the rate, nothing holds the run back but its configuration. */
const RATES = [1, 2, 5, 10, 20, 50, 100, 200, 500, null] as const;

function Sliders({
  isGoing,
  tune,
}: {
  readonly isGoing: boolean;
  readonly tune: (settings: Readonly<Record<string, unknown>>) => unknown;
}): JSX.Element {
  const [rate, setRate] = useState<number>(RATES.length - 1);
  const [jobs, setJobs] = useState(1);
  const shown = RATES[rate] ?? null;
  return (
    <fieldset class="sliders" disabled={!isGoing}>
      <legend class="hidden">Change the run</legend>
      <label>
        <span>
          Requests a second <b>{shown ?? 'as configured'}</b>
        </span>
        <input
          type="range"
          min={0}
          max={RATES.length - 1}
          value={rate}
          aria-valuetext={String(shown ?? 'as configured')}
          onInput={(event) => {
            const at = Number(event.currentTarget.value);
            setRate(at);
            tune({ rate: RATES[at] ?? null });
          }}
        />
      </label>
      <label>
        <span>
          Jobs at once <b>{jobs}</b>
        </span>
        <input
          type="range"
          min={1}
          max={32}
          value={jobs}
          onInput={(event) => {
            const value = Number(event.currentTarget.value);
            setJobs(value);
            tune({ concurrency: value });
          }}
        />
      </label>
    </fieldset>
  );
}

function Picture(): JSX.Element {
  const place = useRef<HTMLCanvasElement>(null);
  const leftOut = useValue(history$)?.leftOut ?? 0;
  useEffect(() => {
    const drawing = history$.pipe(auditTime(0, animationFrameScheduler)).subscribe((history) => {
      if (place.current !== null && history !== undefined) drawTimeline(place.current, history);
    });
    return () => drawing.unsubscribe();
  }, []);
  return (
    <figure class="card picture">
      <canvas ref={place} role="img" aria-label="Requests over time, by job; the table below has their numbers" />
      <figcaption>
        <span class="key ok">answered</span> <span class="key refused">refused or asked again</span>{' '}
        <span class="key failed">failed</span> <span class="key wait">waited for a limit</span>{' '}
        <span class="key login">logged in</span>
        {leftOut === 0 ? null : <span> · {leftOut.toLocaleString('en')} requests are counted, not drawn</span>}
      </figcaption>
    </figure>
  );
}

function Jobs({ told }: { readonly told: Telling }): JSX.Element {
  return (
    <div class="grid" role="region" aria-label="Jobs of the run" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {['Job', 'State', 'Requests', 'Under way', 'Retries', 'Pages', 'Items', 'Bytes'].map((name, at) => (
              <th key={name} scope="col" class={at > 1 ? 'number' : ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {told.jobs.map((job) => (
            <tr key={job.id}>
              <th scope="row">{job.name}</th>
              <td>{job.id === 'login' ? '' : job.state}</td>
              {[job.requests, job.running, job.retries, job.pages, job.items, job.bytes].map((value, at) => (
                <td key={at} class="number">
                  {value.toLocaleString('en')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <ul class="marks" aria-label="What happened">
        {(history$.value?.marks ?? [])
          .filter(({ kind }) => kind === 'warning')
          .map(({ at, text }) => (
            <li key={at}>{text}</li>
          ))}
      </ul>
    </div>
  );
}
