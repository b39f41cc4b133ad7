import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { configurationEditor } from '../editor';
import type { ConfigurationEditor } from '../editor';
import {
  checked$,
  chosenJob$,
  look,
  opened$,
  preview$,
  previewOf,
  say,
  schema$,
  tab$,
  text$,
  useValue,
  written$,
} from '../store';
import type { WrittenJob } from '../store';

/** The jobs, and the text in which they are written. */
export function Writing(): JSX.Element {
  const opened = useValue(opened$);
  const isEmpty = useValue(text$).trim() === '';
  const editor = useRef<ConfigurationEditor>(undefined);
  return (
    <section class="writing" aria-label="Configuration">
      <Jobs goTo={(path) => editor.current?.goTo(path)} />
      {isEmpty && opened !== undefined ? <Beginning /> : null}
      {opened === undefined ? <p class="empty">Loading…</p> : <Editor language={opened.language} editor={editor} />}
      <Faults goTo={(path) => editor.current?.goTo(path)} />
    </section>
  );
}

function Jobs({ goTo }: { readonly goTo: (path: string) => void }): JSX.Element {
  const { jobs } = useValue(written$);
  const chosen = useValue(chosenJob$) ?? jobs[0]?.path;
  const preview = useValue(preview$);
  if (jobs.length === 0) return <></>;
  const choose = (job: WrittenJob): void => {
    chosenJob$.next(job.path);
    goTo(job.path);
    document.getElementById(`job-${job.path}`)?.focus();
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
          key={job.path}
          id={`job-${job.path}`}
          role="treeitem"
          aria-level={job.level + 1}
          aria-selected={job.path === chosen}
          tabIndex={job.path === chosen ? 0 : -1}
          class={`level-${Math.min(job.level, 5)}`}
          onClick={() => choose(job)}
          onKeyDown={(event) => (event.key === 'Enter' ? choose(job) : step(event, at))}
        >
          <span class={`dot ${previewOf(preview, job)?.state ?? ''}`} aria-hidden="true" />
          <span class="job-name">{job.name}</span>
          {job.name === job.endpoint ? null : <span class="faint">{job.endpoint}</span>}
        </li>
      ))}
    </ul>
  );
}

/** The first thing that a new file needs. Further ways to begin have their place beside the form. */
function Beginning(): JSX.Element {
  const [address, setAddress] = useState('');
  const begin = (event: Event): void => {
    event.preventDefault();
    const text = beginningOf(address, opened$.value?.language ?? 'json');
    if (text === undefined) return;
    text$.next(text);
    say('Here is a beginning. The preview shows what the API answers.');
    tab$.next('preview');
    look();
  };
  return (
    <form class="beginning" onSubmit={begin}>
      <h2>Where are the data?</h2>
      <label for="address">The address of a list, as the documents of the API have it</label>
      <div class="row">
        <input
          id="address"
          type="url"
          required
          placeholder="https://api.example.com/v1/rivers"
          value={address}
          onInput={(event) => setAddress(event.currentTarget.value)}
        />
        <button class="strong">Begin</button>
      </div>
    </form>
  );
}

function beginningOf(address: string, language: 'json' | 'yaml'): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { origin, pathname, search } = new URL(address);
  const cut = pathname.replace(/\/$/, '').lastIndexOf('/');
  const baseUrl = `${origin}${pathname.slice(0, cut + 1)}`;
  const endpoint = `${pathname.slice(cut + 1)}${search}`;
  if (language === 'yaml')
    return `api:\n  baseUrl: ${JSON.stringify(baseUrl)}\nconfig:\n  jobs:\n    - endpoint: ${JSON.stringify(endpoint)}\n`;
  return `${JSON.stringify({ api: { baseUrl }, config: { jobs: [{ endpoint }] } }, null, 2)}\n`;
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
      {all.slice(0, 20).map(({ path, message, kind }) => (
        <li key={`${path} ${message}`} class={kind}>
          <button onClick={() => goTo(path)}>
            {path === '' ? null : <code>{path}</code>} {message}
          </button>
        </li>
      ))}
    </ul>
  );
}
