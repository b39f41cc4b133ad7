import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { configurationEditor } from '../editor';
import type { ConfigurationEditor } from '../editor';
import { checked$, chosenJob$, opened$, preview$, previewOf, schema$, text$, useValue, written$ } from '../store';
import type { WrittenJob } from '../written';
import { Beginning } from './beginning';

/** The jobs, and the text in which they are written. */
export function Writing(): JSX.Element {
  const opened = useValue(opened$);
  const isEmpty = useValue(text$).trim() === '';
  const editor = useRef<ConfigurationEditor>(undefined);
  return (
    <section class="writing" aria-label="Configuration">
      <Jobs goTo={(path) => editor.current?.goTo(path)} />
      {opened === undefined ? null : <Beginning key={String(isEmpty)} isEmpty={isEmpty} />}
      {opened === undefined ? <p class="empty">Loading…</p> : <Editor language={opened.language} editor={editor} />}
      <Faults goTo={(path) => editor.current?.goTo(path)} />
    </section>
  );
}

function Jobs({ goTo }: { readonly goTo: (path: string) => void }): JSX.Element {
  const { jobs } = useValue(written$);
  const wanted = useValue(chosenJob$);
  const chosen = (jobs.find(({ key }) => key === wanted) ?? jobs[0])?.key;
  const preview = useValue(preview$);
  if (jobs.length === 0) return <></>;
  const choose = (job: WrittenJob): void => {
    chosenJob$.next(job.key);
    goTo(isElsewhere(job) ? 'extends' : job.path);
    document.getElementById(`job-${job.key}`)?.focus();
  };
  const step = (event: KeyboardEvent, at: number): void => {
    const next = jobs[at + (event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0)];
    if (next === undefined || next === jobs[at]) return;
    event.preventDefault();
    choose(next);
  };
  return (
    <ul class="jobs" role="tree" aria-label="Jobs">
      {jobs.map((job, at) => (
        <li
          key={job.key}
          id={`job-${job.key}`}
          role="treeitem"
          aria-level={job.level + 1}
          aria-selected={job.key === chosen}
          tabIndex={job.key === chosen ? 0 : -1}
          class={`level-${Math.min(job.level, 5)}`}
          onClick={() => choose(job)}
          onKeyDown={(event) => (event.key === 'Enter' ? choose(job) : step(event, at))}
        >
          <span class={`dot ${previewOf(preview, job)?.state ?? ''}`} aria-hidden="true" />
          <span class="job-name">{job.name}</span>
          {job.name === job.endpoint ? null : <span class="faint">{job.endpoint}</span>}
          <FileOf job={job} />
        </li>
      ))}
    </ul>
  );
}

const isElsewhere = ({ part }: WrittenJob): boolean => part !== undefined && !part.isChanged;

/** The part that has a job. */
function FileOf({ job: { part } }: { readonly job: WrittenJob }): JSX.Element {
  if (part === undefined) return <></>;
  const line = part.line === undefined ? '' : `:${part.line}`;
  return (
    <span class="from" title={`${part.file}${line}`}>
      {part.isChanged ? 'changes ' : <span class="hidden">written in </span>}
      {part.file}
    </span>
  );
}

function Editor({
  language,
  editor,
}: {
  readonly language: 'json' | 'yaml';
  readonly editor: { current: ConfigurationEditor | undefined };
}): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current === null) return undefined;
    const made = configurationEditor(
      place.current,
      language,
      text$.value,
      () => schema$.value,
      (text) => {
        if (text !== text$.value) text$.next(text);
      },
    );
    editor.current = made;
    const texts = text$.subscribe(made.setText);
    const checks = checked$.subscribe((checked) => made.show(checked?.faults ?? [], checked?.warnings ?? []));
    return () => {
      texts.unsubscribe();
      checks.unsubscribe();
      made.view.destroy();
    };
  }, [language]);
  return <div class="editor" ref={place} />;
}

function Faults({ goTo }: { readonly goTo: (path: string) => void }): JSX.Element {
  const { faults = [], warnings = [] } = useValue(checked$) ?? {};
  const all = [
    ...faults.map((fault) => ({ ...fault, kind: 'bad' })),
    ...warnings.map((fault) => ({ ...fault, kind: 'warn' })),
  ];
  if (all.length === 0) return <></>;
  return (
    <ul class="faults" aria-label="To correct">
      {all.slice(0, 20).map(({ path, message, part, kind }) => (
        <li key={`${path} ${message}`} class={kind}>
          <button onClick={() => goTo(part === undefined ? path : 'extends')}>
            {path === '' ? null : <code>{path}</code>} {message}
          </button>
        </li>
      ))}
    </ul>
  );
}
