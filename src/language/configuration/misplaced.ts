/** Finds the right places of keys of the language that are written elsewhere. */
import { entriesOf, isList, isObject, ownValue } from '../../core/json/objects';
import type { Json } from '../../core/model';
import { likelyMeant } from '../codec/finding';
import type { Finding, Path } from '../codec/finding';
import { anything } from '../codec/primitives';
import { always, propertiesSchema } from '../codec/record';
import { mistaken } from '../codec/unknown-key';
import type { Fields } from '../codec/record';
import type { Parts } from '../parts/parts';
import { placeText } from './reserved-names';
import type { Home, Homes } from './reserved-names';
import { settingsFields } from './settings';
import { apiFields } from './api/api';
import { httpFields } from './api/http';
import { retryCodesFields, retryFields } from './api/retry';
import { jobFields } from './jobs/fields';
import { CHILDREN_DOC } from './jobs/jobs';
import { multipleFields, stopFields } from './pagination';
import { rootFields } from './root';
import { sectionsSchema } from './schema';

/** The least length of a name: shorter ones are too similar to user-defined words, as `code` is to `codes`. */
const LEAST_LENGTH = 6;

/** Returns the homes of the keys of the language. */
export function homesOf(parts: Parts): Homes {
  const around = { parts, document: {}, config: {} };
  const options = (kind: 'pagination' | 'authentication'): readonly Fields[] =>
    [...parts[kind].values()].map((part) => part.options);
  const places: readonly (readonly [string, readonly Fields[]])[] = [
    ['the root, beside api and config', [rootFields]],
    ['api', [apiFields(around)]],
    ['api.http', [httpFields(parts)]],
    ['api.retryConfig', [retryFields]],
    ['api.retryConfig.http', [retryCodesFields]],
    ['api.authentication', options('authentication')],
    ['api.pagination', [...options('pagination'), stopFields, multipleFields(undefined, parts)]],
    ['config', [settingsFields({ parts, scrollers: undefined, requiredHeaders: [] })]],
    ['a job', [{ ...jobFields(0, { parts, scrollers: undefined }), children: always(anything, CHILDREN_DOC) }]],
  ];
  const sections = sectionsSchema(parts);
  const homes = new Map<string, Home>();
  for (const [place, all] of places)
    for (const fields of all)
      for (const [key, schema] of Object.entries(propertiesSchema(fields))) {
        const known = homes.get(key);
        homes.set(key, {
          schema: known?.schema ?? sections[key] ?? schema,
          places: [...new Set([...(known?.places ?? []), place])],
        });
      }
  return homes;
}

/**
 * Adds to findings about unknown keys the place where they belong, or the key that they misspell: then they are
 * mistakes.
 */
export function atHome(findings: readonly Finding[], parts: Parts, document: Json): readonly Finding[] {
  const unknown = new Set(
    findings.flatMap(({ path, isUnknown }) => (isUnknown === true ? [JSON.stringify(path)] : [])),
  );
  if (unknown.size === 0) return findings;
  const homes = homesOf(parts);
  const longNames = [...homes.keys()].filter(({ length }) => length >= LEAST_LENGTH);
  return findings.map((finding) => {
    const key = finding.path.at(-1) ?? '';
    if (finding.isUnknown !== true) return finding;
    const above = emptyKeyAbove(document, finding.path, unknown);
    if (above !== undefined)
      return {
        ...finding,
        ...mistaken(`has no effect here; "${above}" above it has no value: write this key inside of it`),
      };
    const home = homes.get(key);
    if (home !== undefined) return { ...finding, ...mistaken(`has no effect here; it belongs to ${placeText(home)}`) };
    const meant = likelyMeant(key, longNames, 1);
    const meantHome = meant === undefined ? undefined : homes.get(meant);
    if (meantHome === undefined) return finding;
    const message = `has no effect: unknown key; did you mean "${meant}"? It belongs to ${placeText(meantHome)}`;
    return { ...finding, ...mistaken(message) };
  });
}

/** Detects keys next to the object that they were meant for: in YAML two spaces are enough. */

/**
 * Returns the key without a value above an unknown key, if there is one: the unknown key, and the keys between, were
 * probably meant inside of it (docs/language/configuration.md#misspelled-keys).
 *
 * @param document the whole configuration
 * @param unknown the paths of all unknown keys, as JSON
 * @example emptyKeyAbove({ api: { pagination: null, method: 'offset' } }, ['api', 'method'], new Set(['["api","method"]'])) // 'pagination'
 */
function emptyKeyAbove(document: Json, path: Path, unknown: ReadonlySet<string>): string | undefined {
  const around = path.slice(0, -1);
  let value: Json | undefined = document;
  for (const step of around)
    value = isList(value) ? value[Number(step)] : isObject(value) ? ownValue(value, step) : undefined;
  if (!isObject(value)) return undefined;
  const entries = entriesOf(value);
  const at = entries.findIndex(([key]) => key === path.at(-1));
  const above = entries.slice(0, Math.max(at, 0)).findLast(([key]) => !unknown.has(JSON.stringify([...around, key])));
  return above !== undefined && above[1] === null ? above[0] : undefined;
}
