import type { JSX } from 'preact';
import type { GivenCredential } from '../server';
import { Field } from './field';

const KINDS: readonly (readonly [GivenCredential['kind'], string])[] = [
  ['bearer', 'A token (Authorization: Bearer …)'],
  ['basic', 'A name and a password'],
  ['header', 'A key in a header'],
];

interface CredentialsProps {
  readonly value: GivenCredential;
  readonly set: (value: GivenCredential) => void;
}

/** Asks for what an API has refused to answer without. */
export function Credentials({ value, set }: CredentialsProps): JSX.Element {
  const { kind, name = '', secret } = value;
  return (
    <fieldset class="credentials">
      <legend>The API wants credentials</legend>
      <label class="value">
        <b>Kind</b>
        <select
          value={kind}
          onChange={(event) => {
            const next = KINDS.find(([each]) => each === event.currentTarget.value)?.[0] ?? 'bearer';
            set({ kind: next, secret, ...(next === 'header' ? { name: 'X-API-Key' } : {}) });
          }}
        >
          {KINDS.map(([each, label]) => (
            <option key={each} value={each}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {kind === 'bearer' ? null : (
        <Field
          name={kind === 'basic' ? 'Name' : 'Header'}
          value={name}
          isRequired
          set={(next) => set({ ...value, name: next })}
        />
      )}
      <Field
        name={kind === 'basic' ? 'Password' : kind === 'bearer' ? 'Token' : 'Key'}
        value={secret}
        isSecret
        isRequired
        set={(next) => set({ ...value, secret: next })}
      />
    </fieldset>
  );
}
