import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { beginFrom, beginWith, begun$, isBeginning$, opened$, useValue } from '../store';

/** The first thing that a new file needs; a file that has a text may begin anew. */
export function Beginning({ isEmpty }: { readonly isEmpty: boolean }): JSX.Element {
  const [isWanted, setWanted] = useState(false);
  const begun = useValue(begun$);
  return (
    <>
      {isEmpty || isWanted ? (
        <Source isEmpty={isEmpty} done={() => setWanted(false)} />
      ) : (
        <div class="anew">
          <button class="quiet" onClick={() => setWanted(true)}>
            New from…
          </button>
        </div>
      )}
      {begun === undefined || isEmpty ? null : <Found />}
    </>
  );
}

function Source({ isEmpty, done }: { readonly isEmpty: boolean; readonly done: () => void }): JSX.Element {
  const [source, setSource] = useState('');
  const isBusy = useValue(isBeginning$);
  const begin = (event?: Event): void => {
    event?.preventDefault();
    if (source.trim() !== '' && !isBusy) beginFrom(source, done);
  };
  const plain = beginningOf(source.trim(), opened$.value?.language ?? 'json');
  return (
    <form class="beginning" onSubmit={begin}>
      <h2>Where are the data?</h2>
      <label for="source">The address of a list, or a command line of curl, as browsers copy it</label>
      <textarea
        id="source"
        rows={2}
        required
        spellcheck={false}
        placeholder="https://api.example.com/v1/rivers"
        value={source}
        onInput={(event) => setSource(event.currentTarget.value)}
        onKeyDown={(event) => {
          // As in a field of one line; a command line of several is pasted.
          if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) begin(event);
        }}
      />
      <div class="row">
        <button class="strong" disabled={isBusy}>
          {isBusy ? 'Asking…' : 'Begin'}
        </button>
        <button
          type="button"
          class="quiet"
          disabled={isBusy || plain === undefined}
          onClick={() => {
            if (plain !== undefined) beginWith(plain, 'Here is a beginning. The preview shows what the API answers.');
            done();
          }}
        >
          Write without asking
        </button>
        {isEmpty ? null : (
          <button type="button" class="quiet" onClick={done}>
            Cancel
          </button>
        )}
      </div>
      <p class="faint">
        A few requests find out where the items are and how they are paged. Secrets become variables, and are not
        written.
        {isEmpty ? '' : ' The text is replaced; Ctrl-Z takes it back.'}
      </p>
    </form>
  );
}

/** What was found out, how sure it is, and which variables to set. */
function Found(): JSX.Element {
  const { findings = [], variables = [], requests = 0 } = useValue(begun$) ?? {};
  return (
    <section class="begun" aria-label="What was found" tabIndex={0}>
      <div class="row">
        <h3>
          Found by {requests} {requests === 1 ? 'request' : 'requests'}
        </h3>
        <button class="quiet icon" aria-label="Close what was found" onClick={() => begun$.next(undefined)}>
          ✕
        </button>
      </div>
      <ul>
        {findings.map(({ about, value, confidence, reason }) => (
          <li key={about}>
            <b>{about}</b> {value} ({confidence}): <span class="faint">{reason}</span>
          </li>
        ))}
      </ul>
      {variables.length === 0 ? null : (
        <p>
          Set <code>{variables.join(', ')}</code> before you run the file elsewhere. This studio knows the values that
          you gave until it ends.
        </p>
      )}
    </section>
  );
}

/** A configuration for an address that nobody has asked. */
function beginningOf(address: string, language: 'json' | 'yaml'): string | undefined {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return undefined;
  const { origin, pathname, search } = new URL(address);
  const cut = pathname.replace(/\/$/, '').lastIndexOf('/');
  const baseUrl = `${origin}${pathname.slice(0, cut + 1)}`;
  const endpoint = `${pathname.slice(cut + 1)}${search}`;
  if (language === 'yaml')
    return `api:\n  baseUrl: ${JSON.stringify(baseUrl)}\nconfig:\n  jobs:\n    - endpoint: ${JSON.stringify(endpoint)}\n`;
  return `${JSON.stringify({ api: { baseUrl }, config: { jobs: [{ endpoint }] } }, null, 2)}\n`;
}
