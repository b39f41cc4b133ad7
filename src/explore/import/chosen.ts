/** Which lists of an import are taken, and what values that people give put into their requests. */
import { FatalError } from '../../core/errors/errors';
import type { Beginning, Imported } from './imported';

/** What a person chooses. */
export interface ImportChoice {
  /** The `id`, `alias` or `name` of lists; default: all that need nothing that nobody gave. Their parents are taken, too. */
  readonly jobs?: readonly string[];
  /** Values for placeholders of paths and for parameters of queries, by name: what `missing` names. */
  readonly values?: Readonly<Record<string, string>>;
}

/** Lists that are taken, parents before their children, and those that need something that nobody gave. */
export interface Chosen {
  readonly taken: readonly Beginning[];
  readonly left: readonly Beginning[];
}

const SHOWN = 40;

/**
 * Chooses lists.
 *
 * @throws FatalError CONFIG_INVALID where a name is not known, where a list that was named needs a value, or where nothing is left
 * @example chosenOf(imported, { jobs: ['/users'] }).taken.map(({ id }) => id) // ['/users']
 */
export function chosenOf({ beginnings }: Imported, { jobs = [], values = {} }: ImportChoice = {}): Chosen {
  const filled = beginnings.map((each) => withValues(each, values));
  const byId = new Map(filled.map((each) => [each.id, each]));
  const above = ({ parent }: Beginning): readonly Beginning[] => {
    const found = parent === undefined ? undefined : byId.get(parent);
    return found === undefined ? [] : [...above(found), found];
  };
  const needs = (each: Beginning): boolean => [each, ...above(each)].some(({ missing }) => missing.length > 0);
  if (jobs.length > 0) {
    const named = new Set(jobs.flatMap((job) => found(job, filled)).flatMap((each) => [...above(each), each]));
    const needy = [...named].find(({ missing }) => missing.length > 0);
    if (needy !== undefined) throw refused(toldMissing(needy));
    return { taken: filled.filter((each) => named.has(each)), left: [] };
  }
  const [taken, left] = [filled.filter((each) => !needs(each)), filled.filter(needs)];
  if (taken.length === 0) throw refused(`All lists need something: ${left.slice(0, SHOWN).map(toldMissing).join(' ')}`);
  return { taken, left };
}

/** What a list needs, in a sentence. */
export const toldMissing = ({ id, missing, parent }: Beginning): string =>
  missing.length === 0
    ? `${id} needs the list ${parent ?? ''}.`
    : `${id} needs ${missing.map((name) => `a value for "${name}"`).join(' and ')}.`;

/** A table name may stand for several lists; a path and an operation for one. */
function found(job: string, all: readonly Beginning[]): readonly Beginning[] {
  const exact = all.filter(({ id, alias }) => id === job || alias === job);
  const those = exact.length > 0 ? exact : all.filter(({ name }) => name === job);
  if (those.length > 0) return those;
  const known = all.slice(0, SHOWN).map(({ id, alias }) => (alias === undefined ? id : `${id} (${alias})`));
  const rest = all.length > SHOWN ? `, and ${all.length - SHOWN} more` : '';
  throw refused(`There is no list "${job}". The lists are: ${known.join(', ')}${rest}.`);
}

function withValues(beginning: Beginning, values: Readonly<Record<string, string>>): Beginning {
  const given = beginning.missing.filter((name) => Object.hasOwn(values, name));
  const url = given.reduce((text, name) => {
    const value = encodeURIComponent(values[name] ?? '');
    if (text.includes(`{${name}}`)) return text.replaceAll(`{${name}}`, () => value);
    return `${text}${text.includes('?') ? '&' : '?'}${encodeURIComponent(name)}=${value}`;
  }, beginning.request.url);
  return {
    ...beginning,
    request: { ...beginning.request, url },
    missing: beginning.missing.filter((name) => !given.includes(name)),
  };
}

const refused = (why: string): FatalError => new FatalError('CONFIG_INVALID', why);
