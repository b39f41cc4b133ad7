import { left, right, type Either } from 'fp-ts/lib/Either';
import type { Fault } from '../../core/errors/errors';
import { guarded } from './guarded';
import { wrongWith } from './part-shape';
import { byName, type Part, type LanguageParts, type PartOf, type Parts } from './parts';

/** Names that mean something where a part would be named. */
const RESERVED: Readonly<Partial<Record<Part['kind'], readonly string[]>>> = { pagination: ['multiple'] };

/**
 * The parts of Headwater and those of a user, who may have written them in JavaScript.
 *
 * @param builtIn the parts of Headwater itself
 * @returns what is wrong with the definitions, at `components[0]` and so on: no such kind, a member that is missing, a name
 *   that is taken
 * @example partsWith([slug], BUILT_IN) // right(parts), where parts.function.get('slug') is slug
 */
export function partsWith(components: readonly Part[], builtIn: Parts): Either<readonly Fault[], Parts> {
  if (!isArray(components)) return left([{ path: 'components', message: 'expected an array of definitions' }]);
  if (components.length === 0) return right(builtIn);
  const language: LanguageParts = builtIn;
  const faults = components.flatMap((part, at) => {
    const before = components.slice(0, at).filter((other) => wrongWith(other) === undefined);
    const message = wrongWith(part) ?? takenBy(part, before, language);
    return message === undefined ? [] : [{ path: `components[${at}]`, message }];
  });
  if (faults.length > 0) return left(faults);
  const of = <K extends keyof LanguageParts>(kind: K): ReadonlyMap<string, PartOf<K>> =>
    byName([
      ...language[kind].values(),
      ...components.map(guarded).filter((part): part is PartOf<K> => part.kind === kind),
    ]);
  return right({
    authentication: of('authentication'),
    pagination: of('pagination'),
    format: of('format'),
    function: of('function'),
    sink: new Map(
      [...components.filter((part) => part.kind === 'sink'), ...builtIn.sink.values()]
        .filter(({ name }, at, all) => all.findIndex((other) => other.name === name) === at)
        .map((sink) => [sink.name, sink]),
    ),
  });
}

const isInLanguage = (kind: string, language: LanguageParts): kind is keyof LanguageParts =>
  Object.hasOwn(language, kind) && kind !== 'sink';

/** Narrows nothing: by its type it is one. */
const isArray = (value: unknown): boolean => Array.isArray(value);

function takenBy({ kind, name }: Part, before: readonly Part[], language: LanguageParts): string | undefined {
  const isTaken =
    (isInLanguage(kind, language) && language[kind].has(name)) ||
    RESERVED[kind]?.includes(name) === true ||
    before.some((part) => part.kind === kind && part.name === name);
  return isTaken ? `the name "${name}" is taken by another part of the kind ${kind}; choose another one` : undefined;
}
