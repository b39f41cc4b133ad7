/** Variables that are not set, and files that are not there, where nothing is sent (docs/language/secrets.md#without-the-values). */
import type { FollowedReference, Found } from './reference';
import type { Reference } from './reference';
import type { Fault } from '../../core/errors/errors';
import { lowerCase } from '../../core/secrets/forms';
import { Secrets } from '../../core/secrets/secrets';

/** What becomes of a reference that gives nothing, where nothing is sent. */
export interface UnsetOption {
  /**
   * With `stand in`, a variable that is not set, and a file that is not there, is no fault: its name stands for the value. Default: `fault`.
   */
  readonly unset?: 'fault' | 'stand in';
}

/** Gives something that stands for each value that is not there, the same for the same reference: it fits into an address and a header. */
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

/** A name as it may stand in the name of a host. */
const slugOf = (name: string): string =>
  lowerCase(name)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(-30)
    .replace(/^-+|-+$/g, '');

/** References that something stands for. */
export const missingIn = (references: readonly FollowedReference[]): readonly FollowedReference[] =>
  references.filter(({ found }) => 'standIn' in found);

/** Which of these is at fault, by the path of a fault: it stands there, or just above. */
export const missingAt = (references: readonly FollowedReference[], path: string): FollowedReference | undefined =>
  references.find(
    (each) => path === each.path || (path.startsWith(each.path) && /^[.[]/.test(path.slice(each.path.length))),
  );

/** Why a reference gives nothing, at its place. */
const faultOf = ({ path, found }: FollowedReference): Fault => ({
  path,
  message: 'fault' in found ? found.fault : 'is not set',
});

/** What is told of those that something stands for. */
export const toldOf = (
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

/** How a value that is not there is called where it would stand. */
const shownName = ({ source, name }: Reference): string => (source === 'env' ? `$${name}` : `{${name}}`);

/** Faults, of which those of what stands for a value that is not there say that it is not there. */
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

/** Masks secrets, and gives what is not set its name. */
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
