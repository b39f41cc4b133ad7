import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { defer } from 'rxjs';
import { beginFromLists, fail, isBeginning$, offer$, openDocument, useValue } from '../store';
import type { Choice, Offer } from '../server';
import { Field, Stop } from './field';
import { firstChosen, Lists } from './lists';

/** Larger ones would stop the page for seconds. */
const MOST_BYTES = 256_000_000;

/** A field for a file, which is read here and goes to the studio alone. */
export function DocumentField(): JSX.Element {
  const isBusy = useValue(isBeginning$);
  const take = (field: HTMLInputElement): void => {
    const [file] = field.files ?? [];
    // The same file may be chosen again.
    field.value = '';
    if (file === undefined) return;
    if (file.size > MOST_BYTES) fail(new Error(`${file.name} is larger than ${MOST_BYTES / 1e6} MB.`));
    else openDocument(defer(() => file.text()));
  };
  return (
    <div class="document">
      <label for="document">Or an OpenAPI document, or a HAR that a browser has saved</label>
      <input
        id="document"
        type="file"
        accept=".json,.yaml,.yml,.har"
        disabled={isBusy}
        onChange={(event) => take(event.currentTarget)}
      />
    </div>
  );
}

type Texts = Readonly<Record<string, string>>;

/** The lists of a document, and what it does not say of those that are chosen. */
export function Offered({ offer, isEmpty, done }: OfferedProps): JSX.Element {
  const { choices, kind, number, title, warnings, wantsBaseUrl } = offer;
  const [chosen, setChosen] = useState(() => firstChosen(choices));
  const [baseUrl, setBaseUrl] = useState('');
  const [values, setValues] = useState<Texts>({});
  const [secrets, setSecrets] = useState<Texts>({});
  const isBusy = useValue(isBeginning$);
  const taken = [...chosen].sort((a, b) => a - b).flatMap((at) => choices[at] ?? []);
  const begin = (event: Event): void => {
    event.preventDefault();
    const more = wantsBaseUrl ? { baseUrl } : {};
    if (!isBusy && chosen.size > 0)
      beginFromLists({ offer: number, choices: [...chosen], values, secrets, ...more }, kind, done);
  };
  return (
    <form class="beginning" onSubmit={begin}>
      <h2>Which lists of {title}?</h2>
      <Lists choices={choices} chosen={chosen} choose={setChosen} />
      {wantsBaseUrl ? <Field name="Address of the API" value={baseUrl} isRequired set={setBaseUrl} /> : null}
      {wantedBy(taken, 'values').map(([name, ids]) => (
        <Field
          {...{ key: name, name, value: values[name] ?? '', isRequired: true, about: `for ${ids.join(', ')}` }}
          set={(value) => setValues({ ...values, [name]: value })}
        />
      ))}
      {wantedBy(taken, 'variables').map(([name]) => (
        <Field
          {...{ key: name, name, value: secrets[name] ?? '', isSecret: true, placeholder: 'as in the environment' }}
          set={(value) => setSecrets({ ...secrets, [name]: value })}
        />
      ))}
      <div class="row">
        <button class="strong" disabled={isBusy || chosen.size === 0}>
          {isBusy ? 'Asking…' : 'Begin'}
        </button>
        {isBusy ? <Stop /> : null}
        <button type="button" class="quiet" disabled={isBusy} onClick={() => offer$.next(undefined)}>
          Back
        </button>
        {isEmpty || isBusy ? null : (
          <button type="button" class="quiet" onClick={done}>
            Cancel
          </button>
        )}
      </div>
      <p class="faint">
        {kind === 'har'
          ? 'The recording is looked at, and nothing is requested.'
          : 'A few requests for each list find out where the items are and how they are paged. A child is asked for with items of its parent.'}{' '}
        Secrets become variables, and are not written.
        {isEmpty ? '' : ' The text is replaced; Ctrl-Z takes it back.'}
      </p>
      {warnings.map((warning) => (
        <p class="faint" key={warning}>
          {warning}
        </p>
      ))}
    </form>
  );
}

interface OfferedProps {
  readonly offer: Offer;
  readonly isEmpty: boolean;
  readonly done: () => void;
}

/** What lists want, by name, and the lists that do. */
function wantedBy(
  lists: readonly Choice[],
  key: 'values' | 'variables',
): readonly (readonly [string, readonly string[]])[] {
  const wanted = new Map<string, readonly string[]>();
  for (const list of lists) for (const name of list[key]) wanted.set(name, [...(wanted.get(name) ?? []), list.id]);
  return [...wanted];
}
