import { isLeft, left, right, type Either } from 'fp-ts/lib/Either';
import type { Fault } from '../../core/errors/errors';
import { TOO_DEEP, tooDeepPlace } from '../../core/json/depth';
import { ownValue } from '../../core/json/keys';
import type { Json, JsonObject } from '../../core/model';
import { contextAt, findingsOf } from '../codec/codec';
import type { Configuration } from './configuration';
import { toFaults, type Finding, type Path } from '../codec/finding';
import { headerFaults } from './api/header-faults';
import { atHome } from './homes';
import { oauthCredentials } from './authentication/oauth-credentials';
import type { Parts } from '../parts/parts';
import { rootParts, unwrap } from './root';
import { decodeIteration, iterationsOf, notesOfIteration } from './iterations';
import { unfedMappings } from './mappings/unfed-mappings';

/** How strictly a configuration is read. */
export interface DecodeOptions {
  readonly lenient?: boolean;
  /** The parts that the configuration may name. */
  readonly parts: Parts;
  /** The same as it was written, with references instead of their values (docs/language/secrets.md). */
  readonly written?: Json;
}

/**
 * Decodes a whole configuration (docs/language/configuration.md): checks everything that can be checked before the
 * first request, and applies every default once.
 *
 * @param input parsed JSON, wrapped (`{parameters: {api, config}}`) or bare (`{api, config}`). Paths in faults and
 *   warnings are those of the bare form; the prefix `parameters.` never appears
 * @param options `lenient`: keys that are mistakes (`MISTAKEN_KEY`) are warnings, as all other unknown keys are
 * @returns all faults at once in reading order, or the configuration with its warnings. Values of keys that start with
 *   `#`, and anything below such a key, are never printed
 * @example
 * decodeConfiguration({
 *   api: { baseUrl: 'https://api.example.com', pagination: { method: 'ofset' } },
 *   config: { jobs: [{ endpoint: 'items' }] },
 * })
 * // left([{ path: 'api.pagination.method', message: 'expected one of offset, …, found "ofset"; did you mean "offset"?' }])
 */
export function decodeConfiguration(
  input: unknown,
  { lenient = false, parts, written }: DecodeOptions,
): Either<readonly Fault[], Configuration> {
  const json = input as Json | undefined;
  const deepPlace = tooDeepPlace(json);
  if (deepPlace !== undefined) return left(toFaults([{ path: beginning(deepPlace), message: TOO_DEEP }], json));
  const root = unwrap(json);
  if (isLeft(root)) return left(toFaults(findingsOf(root.left), json));
  const { document, notes } = root.right;
  const original = unwrap(written ?? json);
  const decoded = decodeDocument(document, parts, isLeft(original) ? document : original.right.document);
  const found = [
    ...notes,
    ...rootParts.notes(document, []),
    ...iterationsOf(document).flatMap((iteration) => notesOfIteration(iteration, parts)),
  ];
  const noted = atHome(found, parts, document);
  const mistakes = lenient ? [] : noted.filter(({ code }) => code !== undefined);
  if (isLeft(decoded)) return left(toFaults([...decoded.left, ...withoutNamed(mistakes, decoded.left)], document));
  if (mistakes.length > 0) return left(toFaults(mistakes, document));
  const warnings = [...noted, ...unfedMappings(iterationsOf(document), decoded.right.iterations)];
  return right({ ...decoded.right, warnings: toFaults(warnings.map(withoutCode), document) });
}

/** The first steps tell the place; what stands below a secret key is not shown. */
function beginning(path: Path): Path {
  const bare = path[0] === 'parameters' ? path.slice(1) : path;
  const secret = bare.findIndex((key) => key.startsWith('#'));
  return bare.slice(0, Math.min(SHOWN_STEPS, secret < 0 ? SHOWN_STEPS : secret + 1));
}

const SHOWN_STEPS = 5;
/** A required key that is missing names its misspelling already: one slip is one fault. */
const withoutNamed = (mistakes: readonly Finding[], faults: readonly Finding[]): readonly Finding[] => {
  const places = new Set(faults.map(({ path }) => JSON.stringify(path)));
  return mistakes.filter(({ path, meant }) => !places.has(JSON.stringify([...path.slice(0, -1), meant])));
};

const withoutCode = ({ path, message }: Finding): Finding => ({ path, message });

function decodeDocument(
  document: JsonObject,
  parts: Parts,
  written: JsonObject,
): Either<readonly Finding[], Omit<Configuration, 'warnings'>> {
  const around = rootParts.validate(document, contextAt([]));
  const sources = iterationsOf(document);
  const original = iterationsOf(written);
  const iterations = sources.map((iteration, at) => decodeIteration(iteration, parts, original[at]?.entry?.keys));
  const headers = iterations.flatMap((iteration, at) => {
    const { entry } = sources[at] ?? {};
    const isFromIteration = entry !== undefined && Object.hasOwn(entry.keys, 'http');
    return isLeft(iteration)
      ? []
      : headerFaults(iteration.right, [...(isFromIteration ? ['iterations', String(entry.at)] : ['config']), 'http']);
  });
  const findings = [
    ...(isLeft(around) ? findingsOf(around.left) : []),
    ...iterations.flatMap((iteration) => (isLeft(iteration) ? iteration.left : [])),
    ...headers,
  ];
  if (isLeft(around) || findings.length > 0) return left(findings);
  const { sshProxy, aws, cache, image_parameters: imageParameters } = around.right;
  const credentials = oauthCredentials(ownValue(document, 'authorization'));
  return right({
    iterations: iterations.flatMap((iteration) => (isLeft(iteration) ? [] : [iteration.right])),
    ...(sshProxy === undefined ? {} : { sshProxy }),
    ...(aws === undefined ? {} : { aws }),
    ...(cache === undefined ? {} : { cache }),
    ...(isLeft(credentials) ? {} : { oauthCredentials: credentials.right }),
    requestableHosts: imageParameters.allowed_hosts,
  });
}
