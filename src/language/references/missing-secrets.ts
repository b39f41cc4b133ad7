/** Handles unset variables and missing files where nothing is sent (docs/language/secrets.md#without-the-values). */
import type { FollowedReference, Found, Reference } from './reference';
import type { Fault } from '../../core/errors/errors';
import { Secrets } from '../../core/secrets/secrets';

/** The treatment of a reference without a value where nothing is sent. */
export interface UnsetOption {
  /**
   * With `stand in`, an unset variable or a missing file is not a fault: its name replaces the value. Default: `fault`.
   */
  readonly unset?: 'fault' | 'stand in';
}

/**
 * Wraps a lookup so that missing values get a replacement, the same for the same reference: it fits into an address and
 * a header.
 */
export function standingIn(look: (reference: Reference) => Found): (reference: Reference) => Found {
  const given = new Map<string, string>();
  return (reference) => {
    const found = look(reference);
    if ('value' in found || found.called === undefined) return found;
    const key = `${reference.source} ${reference.name}`;
    const standIn = given.get(key) ?? `unset-${given.size + 1}-${slugOf(reference.name)}.invalid`;
    given.set(key, standIn);
    return { ...found, standIn };
  };
}

/** Returns a name in a form that is valid in a host name. */
const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(-30)
    .replace(/^-+|-+$/g, '');

/** Returns the references with a replaced value. */
export const missingIn = (references: readonly FollowedReference[]): readonly FollowedReference[] =>
  references.filter(({ found }) => 'standIn' in found);

/** Returns the reference at the path of a fault, or just above it. */
export const missingAt = (references: readonly FollowedReference[], path: string): FollowedReference | undefined =>
  references.find(
    (each) => path === each.path || (path.startsWith(each.path) && /^[.[]/.test(path.slice(each.path.length))),
  );

/** Returns the fault of a reference without a value, at its place. */
const faultOf = ({ path, found }: FollowedReference): Fault => ({
  path,
  message: 'fault' in found ? found.fault : 'is not set',
});

/** Returns the notices about replaced values. */
export const noticesOf = (
  references: readonly FollowedReference[],
  isLeftOut: (path: string) => boolean,
): readonly Fault[] =>
  missingIn(references).map((each) => {
    const { path, message } = faultOf(each);
    return {
      path,
      message: `${message}; ${isLeftOut(path) ? 'it is left out here' : `${shownName(each)} stands for it`}`,
    };
  });

/** Returns the name that is shown in the place of a missing value. */
const shownName = ({ source, name }: Reference): string => (source === 'env' ? `$${name}` : `{${name}}`);

/** Replaces faults about replacement values by faults that say that the value is missing. */
export function withoutStandIns(faults: readonly Fault[], missing: readonly FollowedReference[]): readonly Fault[] {
  if (missing.length === 0) return faults;
  const all = faults.map((fault) => {
    const unset = missingAt(missing, fault.path);
    return unset === undefined ? fault : faultOf(unset);
  });
  return all.filter(
    ({ path, message }, at) => all.findIndex((one) => one.path === path && one.message === message) === at,
  );
}

/** Masks secrets, and shows the names of unset ones. */
export class NamedSecrets extends Secrets {
  readonly #names: readonly (readonly [string, string])[];

  constructor(values: readonly string[], references: readonly FollowedReference[]) {
    super(values);
    this.#names = references.flatMap((each) =>
      'standIn' in each.found ? [[each.found.standIn, shownName(each)] as const] : [],
    );
  }

  override mask(text: string): string {
    return super.mask(this.#names.reduce((named, [standIn, name]) => named.replaceAll(standIn, () => name), text));
  }
}
