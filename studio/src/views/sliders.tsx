import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { valueAt } from '../place';
import { call } from '../server';
import type { StudioEvents } from '../server';
import { heeded, useValue, written$ } from '../store';
import type { WrittenJob } from '../written';

/** Of the last step of the rate, nothing holds the run back but its configuration. */
const RATES = [1, 2, 5, 10, 20, 50, 100, 200, 500, null] as const;
const MOST_AT_ONCE = 32;

export const tune = (settings: Readonly<Record<string, unknown>>): unknown =>
  heeded(call('tune', settings)).subscribe();

/** What can be changed of all jobs together. */
export function Sliders({ isGoing }: { readonly isGoing: boolean }): JSX.Element {
  return (
    <fieldset class="sliders" disabled={!isGoing}>
      <legend class="hidden">Change the run</legend>
      <Rate name="Requests a second" />
      <AtOnce name="Jobs at once" begin={1} change={(concurrency) => tune({ concurrency })} />
    </fieldset>
  );
}

/** The same for each job alone: how often it asks, how many of its calls run at once, and how many of its pages. */
export function JobSliders({ reported }: { readonly reported: StudioEvents }): JSX.Element {
  const { value, jobs: all } = useValue(written$);
  const written = new Map(all.map((job) => [job.path, job]));
  const jobs = reported.jobs.filter(({ id }) => id !== 'login' && id !== 'others');
  if (reported.run.endedAt !== undefined || jobs.length === 0) return <></>;
  const isAhead = asksAhead(value);
  return (
    <details class="card by-job">
      <summary>Change one job</summary>
      {jobs.slice(0, 50).map(({ id, path, name }) => (
        <fieldset class="sliders" key={id}>
          <legend>{name}</legend>
          <Rate name={`Requests a second of ${name}`} job={id} />
          {written.get(path)?.hasCalls === true ? (
            <AtOnce
              name={`Calls at once of ${name}`}
              begin={concurrencyOf(written.get(path))}
              change={(concurrency) => tune({ job: id, concurrency })}
            />
          ) : null}
          {isAhead ? (
            <AtOnce name={`Pages at once of ${name}`} begin={1} change={(parallel) => tune({ job: id, parallel })} />
          ) : null}
        </fieldset>
      ))}
    </details>
  );
}

const concurrencyOf = (job: WrittenJob | undefined): number => job?.concurrency ?? 1;

/** Whether pages are found without the page before them. */
function asksAhead(value: unknown): boolean {
  const method = valueAt(value, ['api', 'pagination', 'method']);
  return method === 'offset' || method === 'pagenum';
}

function Rate({ name, job }: { readonly name: string; readonly job?: string }): JSX.Element {
  const [at, setAt] = useState<number>(RATES.length - 1);
  const shown = String(RATES[at] ?? 'as configured');
  const choose = (next: number): void => {
    setAt(next);
    tune({ ...(job === undefined ? {} : { job }), rate: RATES[next] ?? null });
  };
  return <Slider name={name} shown={shown} least={0} most={RATES.length - 1} value={at} choose={choose} />;
}

function AtOnce({
  name,
  begin,
  change,
}: {
  readonly name: string;
  readonly begin: number;
  readonly change: (value: number) => unknown;
}): JSX.Element {
  const [value, setValue] = useState(begin);
  const choose = (next: number): void => {
    setValue(next);
    change(next);
  };
  return <Slider name={name} shown={String(value)} least={1} most={MOST_AT_ONCE} value={value} choose={choose} />;
}

function Slider({
  name,
  shown,
  least,
  most,
  value,
  choose,
}: {
  readonly name: string;
  readonly shown: string;
  readonly least: number;
  readonly most: number;
  readonly value: number;
  readonly choose: (value: number) => void;
}): JSX.Element {
  return (
    <label>
      <span>
        {name} <b>{shown}</b>
      </span>
      <input
        type="range"
        min={least}
        max={most}
        value={value}
        aria-valuetext={shown}
        onInput={(event) => choose(Number(event.currentTarget.value))}
      />
    </label>
  );
}
