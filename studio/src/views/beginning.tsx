import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { of } from 'rxjs';
import type { Begun, FoundList, GivenCredential } from '../server';
import { beginFrom, begun$, isBeginning$, offer$, openDocument, useValue, wantsCredentials$ } from '../store';
import { Credentials } from './credentials';
import { DocumentField, Offered } from './document';
import { Stop } from './field';

/** The first thing that a new file needs; a file that has a text may start over. */
export function Beginning({ isEmpty }: { readonly isEmpty: boolean }): JSX.Element {
  const [isWanted, setWanted] = useState(false);
  const begun = useValue(begun$);
  const offer = useValue(offer$);
  const done = (): void => setWanted(false);
  return (
    <>
      {(isEmpty || isWanted) && offer !== undefined ? (
        <Offered key={offer.number} offer={offer} isEmpty={isEmpty} done={done} />
      ) : isEmpty || isWanted ? (
        <Source isEmpty={isEmpty} done={done} />
      ) : (
        <div class="again">
          <button class="quiet" onClick={() => setWanted(true)}>
            New from…
          </button>
        </div>
      )}
      {begun === undefined || isEmpty || saysNothing(begun) ? null : <Found />}
    </>
  );
}

function Source({ isEmpty, done }: { readonly isEmpty: boolean; readonly done: () => void }): JSX.Element {
  const [source, setSource] = useState('');
  const [credential, setCredential] = useState<GivenCredential>({ kind: 'bearer', secret: '' });
  const isBusy = useValue(isBeginning$);
  const wantsCredentials = useValue(wantsCredentials$);
  const isReady = source.trim() !== '' && !isBusy;
  const begin = (event?: Event): void => {
    event?.preventDefault();
    if (!isReady) return;
    if (isDocument(source)) openDocument(of(source));
    else beginFrom(source, true, done, wantsCredentials ? credential : undefined);
  };
  return (
    <form class="beginning" onSubmit={begin}>
      <h2>Where are the data?</h2>
      <label for="source">
        The address of a list or of an OpenAPI document, or a command line of curl, as browsers copy it
      </label>
      <textarea
        id="source"
        rows={2}
        required
        spellcheck={false}
        placeholder="https://api.example.com/v1/rivers"
        value={source}
        onInput={(event) => {
          setSource(event.currentTarget.value);
          wantsCredentials$.next(false);
        }}
        onKeyDown={(event) => {
          // As in a field of one line; a command line of several is pasted.
          if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) begin(event);
        }}
      />
      {wantsCredentials ? <Credentials value={credential} set={setCredential} /> : null}
      <div class="row">
        <button class="strong" disabled={isBusy}>
          {isBusy ? 'Asking…' : 'Begin'}
        </button>
        <button
          type="button"
          class="quiet"
          disabled={!isReady || isDocument(source)}
          onClick={() => beginFrom(source, false, done)}
        >
          Write without asking
        </button>
        {isBusy ? <Stop /> : null}
        {isEmpty || isBusy ? null : (
          <button type="button" class="quiet" onClick={done}>
            Cancel
          </button>
        )}
      </div>
      <DocumentField />
      <p class="faint">
        A few requests find out where the items are and how they are paged. Secrets become variables, and are not
        written.
        {isEmpty ? '' : ' The text is replaced; Ctrl-Z takes it back.'}
      </p>
    </form>
  );
}

/** Whether a text is a document, and neither an address nor a command line. */
const isDocument = (text: string): boolean =>
  /^\s*\{/.test(text) || /^\s*["']?(?:openapi|swagger)["']?\s*:/m.test(text);

const saysNothing = ({ lists, variables, unset, warnings }: Begun): boolean =>
  lists.length + variables.length + unset.length + warnings.length === 0;

/** What was found out, how sure it is, and which variables to set. */
function Found(): JSX.Element {
  const offer = useValue(offer$);
  const { lists = [], warnings = [], variables = [], unset = [], requests = 0 } = useValue(begun$) ?? {};
  return (
    <section class="begun" aria-label="What was found" tabIndex={0}>
      <div class="row">
        <h2>
          {requests === 0 ? 'Nothing was requested' : `Found by ${requests} ${requests === 1 ? 'request' : 'requests'}`}
        </h2>
        <button class="quiet icon" aria-label="Close what was found" onClick={() => begun$.next(undefined)}>
          ✕
        </button>
      </div>
      {lists.map((list) => (
        <FoundOf key={list.name} list={list} isNamed={lists.length > 1} />
      ))}
      {variables.length === 0 ? null : (
        <p>
          Set <code>{variables.join(', ')}</code> before you run the file elsewhere. This studio knows the values that
          you gave until it ends.
        </p>
      )}
      {unset.length === 0 ? null : (
        <p class="missing">
          The API needs <code>{unset.join(', ')}</code>: set what is missing in the environment, and start the studio
          again{offer === undefined ? '' : ', or give it in New from…'}.
        </p>
      )}
      {warnings.map((warning) => (
        <p class="faint" key={warning}>
          {warning}
        </p>
      ))}
    </section>
  );
}

function FoundOf({ list, isNamed }: { readonly list: FoundList; readonly isNamed: boolean }): JSX.Element {
  const { name, findings, unseen } = list;
  return (
    <>
      {isNamed ? <h3>{name}</h3> : null}
      {unseen === undefined ? null : <p class="missing">This list was not seen. {unseen}</p>}
      <ul>
        {findings.map(({ about, value, confidence, reason }) => (
          <li key={about}>
            <b>{about}</b> {value} ({confidence}): <span class="faint">{reason}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
