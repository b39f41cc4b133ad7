import type { JSX } from 'preact';
import { stop$ } from '../store';

interface FieldProps {
  readonly name: string;
  readonly value: string;
  readonly isRequired?: boolean;
  readonly isSecret?: boolean;
  readonly about?: string;
  readonly placeholder?: string;
  readonly set: (value: string) => void;
}

/** A value that a person gives. */
export function Field({
  name,
  value,
  isRequired = false,
  isSecret = false,
  about,
  placeholder,
  set,
}: FieldProps): JSX.Element {
  const field = {
    ...{ autocomplete: 'off', required: isRequired, value },
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => set(event.currentTarget.value),
  };
  return (
    <label class="value">
      <span>
        <b>{name}</b> {about}
      </span>
      {isSecret ? (
        <input type="password" {...(placeholder === undefined ? {} : { placeholder })} {...field} />
      ) : (
        <input type="text" {...field} />
      )}
    </label>
  );
}

/** Ends what the person waits for. */
export const Stop = (): JSX.Element => (
  <button type="button" class="quiet" onClick={() => stop$.next()}>
    Stop
  </button>
);
