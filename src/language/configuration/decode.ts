import { isLeft, left, right } from 'fp-ts/lib/Either';
import type { Either } from 'fp-ts/lib/Either';
import type { Fault } from '../../core/errors/errors';
import { isHeaderName, isHeaderValue } from '../../core/headers';
import {
  TOO_DEEP,
  entriesOf,
  flatten,
  isList,
  isObject,
  keysOf,
  ownValue,
  tooDeepPlace,
} from '../../core/json/objects';
import { isScalar, textOf } from '../../core/json/scalars';
import type { Json, JsonObject, JsonScalar } from '../../core/model';
import { contextAt, findingsOf } from '../codec/codec';
import { didYouMean, toFaults } from '../codec/finding';
import type { Finding, Path } from '../codec/finding';
import type { Parts } from '../parts/parts';
import { oauthCredentials } from './authentication';
import type { Configuration, IterationConfiguration, Job } from './configuration';
import { decodeIteration, iterationsOf, notesOfIteration, whereWritten } from './iterations';
import type { IterationSource } from './iterations';
import { keysOfPath, unfilledNames } from './jobs/placeholders';
import { atHome } from './misplaced';
import { rootParts, unwrap } from './root';

/**
 * Finds headers that HTTP cannot carry (docs/language/requests.md#headers, layers 1 to 4). Values that functions
 * compute are checked when a request is sent.
 *
 * @param http the path of the effective `config.http`
 */
function headerFaults({ api, settings, attributes }: IterationConfiguration, http: Path): readonly Finding[] {
  const known = flatten(attributes);
  const inLayer = (headers: JsonObject, path: Path): readonly Finding[] =>
    entriesOf(headers).flatMap(([name, value]) =>
      complaints(name, value, known).map((message) => ({ path: [...path, nameOf(name)], message })),
    );
  const inJob = ({ headers, path, children }: Job): readonly Finding[] => [
    ...inLayer(headers, [...keysOfPath(path), 'headers']),
    ...children.flatMap(inJob),
  ];
  return [
    ...inLayer(api.http.headers, ['api', 'http', 'headers']),
    ...inLayer(api.http.defaultHeaders, ['api', 'http', 'defaultOptions', 'headers']),
    ...inLayer(settings.headers, [...http, 'headers']),
    ...settings.jobs.flatMap(inJob),
  ];
}

/**
 * Returns the name of a header for a path. If a whole header is written as the name, its value may be a secret, so it
 * is cut off.
 */
const nameOf = (written: string): string => written.replace(/[:=\s].*$/s, '…');

/** Returns the complaints about a header. Messages never show the value: it may be a credential. */
function complaints(name: string, value: Json, known: ReadonlyMap<string, JsonScalar>): readonly string[] {
  if (!isHeaderName(name)) return ['a header cannot have this name: it is made of letters, digits and hyphens'];
  const lines = isList(value) ? value : [value];
  if (lines.every((line) => isHeaderValue(knownText(line, known)))) return [];
  return ['the value holds a character that HTTP does not allow: look for line breaks and letters beyond Latin-1'];
}

/** Returns the string of a literal or of a reference to an attribute; an empty string if the value is not known yet. */
function knownText(value: Json, known: ReadonlyMap<string, JsonScalar>): string {
  if (isScalar(value)) return textOf(value);
  const name = isObject(value) ? ownValue(value, 'attr') : undefined;
  return typeof name === 'string' ? textOf(known.get(name) ?? null) : '';
}

/**
 * Finds mappings of dataTypes that no job has: their tables stay empty. Iterations may share mappings, so a mapping
 * counts as used if a job of any run that reads it has its dataType.
 *
 * @param sources the runs as written
 * @param runs the same runs, decoded
 */
function unfedMappings(
  sources: readonly IterationSource[],
  runs: readonly IterationConfiguration[],
): readonly Finding[] {
  const fed = new Set<string>();
  const unfed = new Map<string, Finding>();
  for (const [at, { settings }] of runs.entries()) {
    const source = sources[at];
    if (source === undefined || settings.mappings === undefined) continue;
    const dataTypes = settings.jobs.flatMap(withDescendants).map(({ dataType }) => dataType);
    for (const name of keysOf(settings.mappings)) {
      const message = `no job has this dataType, so its table stays empty${didYouMean(name, dataTypes)}`;
      const finding = whereWritten({ path: ['config', 'mappings', name], message }, source);
      const place = JSON.stringify(finding.path);
      if (dataTypes.includes(name)) fed.add(place);
      else unfed.set(place, unfed.get(place) ?? finding);
    }
  }
  return [...unfed].filter(([place]) => !fed.has(place)).map(([, finding]) => finding);
}

const withDescendants = (job: Job): readonly Job[] => [job, ...job.children.flatMap(withDescendants)];

/** Options of decoding. */
export interface DecodeOptions {
  readonly lenient?: boolean;
  /** The parts that the configuration may name. */
  readonly parts: Parts;
  /** The configuration as written, with references instead of their values (docs/language/secrets.md). */
  readonly written?: Json;
}

/**
 * Decodes a whole configuration (docs/language/configuration.md): checks everything that can be checked before the
 * first request, and applies all defaults.
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
  const names = isLeft(decoded) ? [] : decoded.right.iterations.flatMap(unfilledNames);
  const noted = [...atHome(found, parts, document), ...names];
  const mistakes = lenient ? [] : noted.filter(({ code }) => code !== undefined);
  if (isLeft(decoded)) return left(toFaults([...decoded.left, ...withoutNamed(mistakes, decoded.left)], document));
  if (mistakes.length > 0) return left(toFaults(mistakes, document));
  const warnings = [...noted, ...unfedMappings(iterationsOf(document), decoded.right.iterations)];
  return right({ ...decoded.right, warnings: toFaults(warnings.map(withoutCode), document) });
}

/** Shortens a path to its first steps; steps below a secret key are not shown. */
function beginning(path: Path): Path {
  const bare = path[0] === 'parameters' ? path.slice(1) : path;
  const secret = bare.findIndex((key) => key.startsWith('#'));
  return bare.slice(0, Math.min(SHOWN_STEPS, secret < 0 ? SHOWN_STEPS : secret + 1));
}

const SHOWN_STEPS = 5;
/** Removes mistakes that a fault already names: a missing required key reports its own misspelling. */
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
