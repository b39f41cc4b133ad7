import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { fromEvent, timer } from 'rxjs';
import { checked$, notice$, opened$, save, saved$, tab$, text$, useValue } from './store';
import type { Tab } from './store';
import { switchTheme } from './theme';
import { ClusterView } from './views/cluster';
import { PreviewView } from './views/preview';
import { RunView } from './views/run';
import { RunsView } from './views/runs';
import { TablesView } from './views/tables';
import { Writing } from './views/writing';

const TABS: readonly { readonly id: Tab; readonly name: string }[] = [
  { id: 'write', name: 'Write' },
  { id: 'preview', name: 'Preview' },
  { id: 'run', name: 'Run' },
  { id: 'tables', name: 'Tables' },
  { id: 'runs', name: 'Past runs' },
  { id: 'cluster', name: 'Cluster' },
];

export function App(): JSX.Element {
  const tab = useValue(tab$);
  useEffect(() => {
    const saving = fromEvent<KeyboardEvent>(document, 'keydown').subscribe((event) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      save();
    });
    return () => saving.unsubscribe();
  }, []);
  return (
    <div class={`studio tab-${tab}`}>
      <Header />
      <main class="panes">
        <Writing />
        <div class="side">
          <div class="view" id="view" role="tabpanel" aria-labelledby={`tab-${tab}`}>
            {tab === 'run' ? (
              <RunView />
            ) : tab === 'tables' ? (
              <TablesView />
            ) : tab === 'runs' ? (
              <RunsView />
            ) : tab === 'cluster' ? (
              <ClusterView />
            ) : (
              <PreviewView />
            )}
          </div>
        </div>
      </main>
      <NoticeLine />
    </div>
  );
}

function Header(): JSX.Element {
  const opened = useValue(opened$);
  const isChanged = useValue(text$) !== useValue(saved$);
  const checked = useValue(checked$);
  return (
    <header class="top">
      <h1>
        <img src="/icon.svg" alt="" width="26" height="26" /> <span>Headwater</span>
      </h1>
      <Tabs />
      <div class="file">
        <span class="name" title={opened?.name}>
          {opened?.name ?? '…'}
        </span>
        <span class={`state ${checked === undefined ? '' : checked.faults.length > 0 ? 'bad' : 'good'}`} role="status">
          <span class="kept">{isChanged ? 'not saved' : opened?.version === undefined ? 'new' : 'saved'}</span>
          {checked !== undefined && checked.faults.length > 0 ? (
            <>
              <span class="kept">, </span>
              {checked.faults.length} to correct
            </>
          ) : null}
        </span>
        <button class="quiet" disabled={!isChanged} onClick={save}>
          Save
        </button>
        <button
          class="quiet icon"
          aria-label="Switch between light and dark"
          title="Light or dark"
          onClick={switchTheme}
        >
          ◐
        </button>
      </div>
    </header>
  );
}

function Tabs(): JSX.Element {
  const tab = useValue(tab$);
  const hasCluster = useValue(opened$)?.cluster !== undefined;
  const tabs = TABS.filter(({ id }) => id !== 'cluster' || hasCluster);
  const choose = (id: Tab): void => {
    tab$.next(id);
    document.getElementById(`tab-${id}`)?.focus();
  };
  const step = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    // "Write" is beside the others where there is room for both.
    const shown = tabs.filter(({ id }) => document.getElementById(`tab-${id}`)?.offsetParent !== null);
    const next = shown[(shown.findIndex(({ id }) => id === tab) + by + shown.length) % shown.length];
    if (by !== 0 && next !== undefined) choose(next.id);
  };
  return (
    <div class="tabs" role="tablist" aria-label="Views" onKeyDown={step}>
      {tabs.map(({ id, name }) => (
        <button
          key={id}
          id={`tab-${id}`}
          role="tab"
          aria-selected={tab === id}
          aria-controls="view"
          tabIndex={tab === id ? 0 : -1}
          onClick={() => choose(id)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

function NoticeLine(): JSX.Element {
  const notice = useValue(notice$);
  useEffect(() => {
    // What went well goes by itself; an error stays until it was read.
    if (notice?.kind !== 'done') return undefined;
    const going = timer(6_000).subscribe(() => notice$.next(undefined));
    return () => going.unsubscribe();
  }, [notice]);
  return (
    <div class="notices" aria-live="polite">
      {notice === undefined ? null : (
        <div class={`notice ${notice.kind}`}>
          <p>{notice.text}</p>
          <button class="quiet" aria-label="Close this message" onClick={() => notice$.next(undefined)}>
            ✕
          </button>
        </div>
      )}
    </div>
  );
}
