import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { defer } from 'rxjs';
import { beginFromChoice, fail, isBeginning$, offer$, openDocument, useValue } from '../store';
import type { Choice, Offer } from '../server';

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
    <div class="file">
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

/** The lists of a document, and what it does not say of the one that is chosen. */
export function Offered({ offer, done }: { readonly offer: Offer; readonly done: () => void }): JSX.Element {
  const [at, setAt] = useState(0);
  const [baseUrl, setBaseUrl] = useState('');
  const [values, setValues] = useState<Texts>({});
  const [secrets, setSecrets] = useState<Texts>({});
  const isBusy = useValue(isBeginning$);
  const { choices, kind, number, title, warnings, wantsBaseUrl } = offer;
  const chosen = choices[at];
  const begin = (event: Event): void => {
    event.preventDefault();
    const more = wantsBaseUrl ? { baseUrl } : {};
    if (!isBusy) beginFromChoice({ offer: number, choice: at, values, secrets, ...more }, kind, done);
  };
  return (
    <form class="beginning" onSubmit={begin}>
      <h2>Which list of {title}?</h2>
      <label for="choice">{choices.length} to choose from</label>
      <select
        id="choice"
        size={Math.min(8, Math.max(2, choices.length))}
        value={String(at)}
        onChange={(event) => setAt(Number(event.currentTarget.value))}
      >
        {choices.map((choice, index) => (
          <option key={index} value={String(index)}>
            {nameOf(choice)}
          </option>
        ))}
      </select>
      {wantsBaseUrl ? <Field name="Address of the API" value={baseUrl} isRequired set={setBaseUrl} /> : null}
      {chosen?.values.map((name) => (
        <Field
          {...{ key: name, name, value: values[name] ?? '', isRequired: true }}
          set={(value) => setValues({ ...values, [name]: value })}
        />
      ))}
      {chosen?.variables.map((name) => (
        <Field
          {...{ key: name, name, value: secrets[name] ?? '', isSecret: true }}
          set={(value) => setSecrets({ ...secrets, [name]: value })}
        />
      ))}
      <div class="row">
        <button class="strong" disabled={isBusy}>
          {isBusy ? 'Asking…' : 'Begin'}
        </button>
        <button type="button" class="quiet" onClick={() => offer$.next(undefined)}>
          Back
        </button>
      </div>
      <p class="faint">
        {kind === 'har'
          ? 'The recording is looked at, and nothing is requested.'
          : 'A few requests find out where the items are and how they are paged.'}{' '}
        Secrets become variables, and are not written.
      </p>
      {warnings.map((warning) => (
        <p class="faint" key={warning}>
          {warning}
        </p>
      ))}
    </form>
  );
}

const nameOf = ({ id, summary }: Choice): string => (summary === undefined ? id : `${id} · ${summary}`);

interface FieldProps {
  readonly name: string;
  readonly value: string;
  readonly isRequired?: boolean;
  readonly isSecret?: boolean;
  readonly set: (value: string) => void;
}

function Field({ name, value, isRequired = false, isSecret = false, set }: FieldProps): JSX.Element {
  const field = {
    ...{ autocomplete: 'off', required: isRequired, value },
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => set(event.currentTarget.value),
  };
  return (
    <label class="value">
      {name}
      {isSecret ? (
        <input type="password" placeholder="as in the environment" {...field} />
      ) : (
        <input type="text" {...field} />
      )}
    </label>
  );
}
