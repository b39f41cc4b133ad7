/** Finds out how the lists of an import return their data, and writes one configuration for all of them. */
import { HeadwaterError } from '../../core/errors/errors';
import { sameJson } from '../../core/json/literals';
import { defined } from '../../core/json/objects';
import { parseData } from '../../core/json/parse';
import { isScalar, textOf } from '../../core/json/scalars';
import type { Json, JsonObject } from '../../core/model';
import { combined } from '../detect/combined';
import { printable } from '../detect/configuration-text';
import type { Comments } from '../detect/configuration-text';
import { findData } from '../detect/data-place';
import { SIZED, describedPaging, withPageSize } from '../detect/paging/by-description';
import { seenIn } from '../detect/paging/signs';
import { recordedFetch } from '../detect/recorded-fetch';
import { subjectOf } from '../detect/subject';
import { chosenOf, filled, describeMissing, withHeaders, withNames } from '../import/imported';
import type { Beginning, ImportChoice, Imported } from '../import/imported';
import type { Preview } from '../probe/model';
import { fieldsOf, findingsOf, foundJob, notesOf, placedPreview, placesOf, valuesOf } from './children';
import type { FoundList, Place } from './children';
import { credentialFinding, discoverSubject, discoveryOf, pagingName } from './discover';
import type { DiscoverOptions, Discovery, DiscoveryFinding } from './discover';

/** Which lists of an import are requested, and how. Everything is optional. */
export interface DiscoverImportedOptions
  extends
    ImportChoice,
    Pick<DiscoverOptions, 'fetch' | 'dispatcher' | 'signal' | 'guess' | 'mayExceed' | 'onRequest' | 'maxRequests'> {
  /** The headers of each request, with its credentials, by name: they replace the credentials that the import asks for. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A list of an import, and the findings about it. */
export interface ImportedList {
  readonly id: string;
  /** The name of its table. */
  readonly dataType: string;
  readonly findings: readonly DiscoveryFinding[];
  /** Items of the pages that were seen. */
  readonly items: readonly Json[];
  /** Returns a preview of its job, as for `discover`. */
  readonly preview?: () => Promise<Preview>;
  /** Why it was not requested, so that the findings come from a description or a recording alone; absent: it was. */
  readonly unasked?: string;
}

/** The findings about the lists of an import. */
export interface ImportedDiscovery {
  /** A configuration of all lists without secrets, which refers to the environment. */
  readonly configuration: JsonObject;
  /** The comments that explain it, by the keys of the configuration. */
  readonly comments: Comments;
  readonly lists: readonly ImportedList[];
  /** Sentences about what was left out, including lists that need a value that is not given. */
  readonly warnings: readonly string[];
  /** How many requests were sent. */
  readonly requests: number;
}

const MOST_REQUESTS = 300;
const MOST_PER_LIST = 12;
/** The maximum number of parent items for which a child is requested, until one has items. */
const MOST_PARENTS = 3;
/** Statuses with which APIs refuse a value. */
const REFUSED_VALUE: ReadonlySet<number> = new Set([400, 406, 409, 413, 416, 422]);

/**
 * Requests each list of an import as `discover` does, the children for items of their parents, and writes one configuration. Lists that a
 * HAR has recorded need no network. A list that the API refuses, or an API that cannot be reached, is written as it is described, and
 * marked as unsure.
 *
 * @throws FatalError CONFIG_INVALID for an unknown list, or one that needs a value that is not given
 * @example
 * const imported = importOpenApi(text, { url: 'https://api.example/openapi.json' });
 * const { configuration, comments } = await discoverImported(imported, { jobs: ['/users'], headers: { authorization: `Bearer ${token}` } });
 */
export async function discoverImported(
  imported: Imported,
  options: DiscoverImportedOptions = {},
): Promise<ImportedDiscovery> {
  const { taken, left } = chosenOf(imported, options);
  const named = withNames(taken);
  const looked = new Map<string, FoundList>();
  const budget = {
    left: options.maxRequests ?? MOST_REQUESTS,
    sent: 0,
    isReachable: true,
    taken: new Map<string, string>(),
  };
  for (const beginning of named) {
    const parent = beginning.parent === undefined ? undefined : looked.get(beginning.parent);
    looked.set(beginning.id, await lookedAt(withHeaders(beginning, options.headers), parent, options, budget));
  }
  const all = [...looked.values()];
  const { configuration, comments, warnings } = combined(
    all.flatMap((each) => (each.beginning.parent === undefined ? [foundJob(each, all)] : [])),
  );
  const places = placesOf(all, configuration);
  return {
    configuration,
    comments,
    lists: all.map((each) => ({
      ...{ id: each.beginning.id, dataType: each.discovery.dataType },
      ...{ findings: findingsOf(each), items: each.discovery.items },
      ...previewed(each, places.get(each.beginning.id)),
      ...(each.unasked === undefined ? {} : { unasked: each.unasked }),
    })),
    warnings: [...imported.warnings, ...warnings, ...left.map(describeMissing)].map(printable),
    requests: budget.sent,
  };
}

function previewed(looked: FoundList, place: Place | undefined): Pick<ImportedList, 'preview'> {
  const { preview } = looked.discovery;
  if (preview === undefined || place === undefined) return {};
  return { preview: async () => placedPreview(await preview(), place, looked) };
}

interface Budget {
  left: number;
  sent: number;
  isReachable: boolean;
  /** The secrets of parameters, by variable. */
  readonly taken: Map<string, string>;
}

async function lookedAt(
  beginning: Beginning,
  parent: FoundList | undefined,
  options: DiscoverImportedOptions,
  budget: Budget,
): Promise<FoundList> {
  const placeholders = parent === undefined ? undefined : fieldsOf(beginning, parent);
  const candidates = parent === undefined ? [{}] : valuesOf(placeholders ?? {}, parent);
  const notes = notesOf(beginning, parent, placeholders ?? {});
  const known = {
    ...{ beginning, notes, samples: [] },
    ...(parent === undefined || placeholders === undefined ? {} : { placeholders, parent }),
  };
  let [why, last]: [string, FoundList | undefined] = ['No item of its parent was seen.', undefined];
  for (const values of candidates.slice(0, MOST_PARENTS)) {
    const tried = await asked(beginning, values, options, budget);
    if (typeof tried === 'string') why = tried;
    else last = { ...known, values, discovery: tried };
    if (typeof tried === 'string' || tried.items.length > 0) break;
  }
  if (last === undefined)
    return { ...known, values: {}, discovery: unasked(beginning, why, budget.taken), unasked: why };
  const paged = last.discovery.items.length === 0 || beginning.recorded !== undefined;
  const isOpen = last.discovery.findings.some(
    ({ about, value, confidence }) => about === 'paging' && value === 'none' && confidence === 'unsure',
  );
  if (parent !== undefined) last = { ...last, samples: await samplesOf(last, candidates, options, budget) };
  if (!paged || !isOpen) return last;
  const hinted = unasked(beginning, 'no second page was seen', budget.taken);
  return hinted.findings.some(({ about, value }) => about === 'paging' && value !== 'none')
    ? { ...last, discovery: { ...last.discovery, ...hinted, items: last.discovery.items } }
    : last;
}

/** Returns the items of a list for other items of its parent, which show whether its key is unique among all of them. */
async function samplesOf(
  { beginning, values: before, discovery }: FoundList,
  candidates: readonly Readonly<Record<string, string>>[],
  options: DiscoverImportedOptions,
  budget: Budget,
): Promise<readonly (readonly Json[])[]> {
  const samples: (readonly Json[])[] = [];
  if (discovery.items.length === 0) return samples;
  const others = candidates.slice(candidates.findIndex((each) => sameJson(each, before)) + 1);
  for (const values of others.slice(0, MOST_PARENTS - 1)) {
    const tried = await asked(beginning, values, { ...options, guess: false }, budget);
    if (typeof tried === 'string') break;
    samples.push(tried.items);
  }
  return samples;
}

/**
 * @param isSized whether pages are as large as the description allows
 * @returns why it could not be requested, if so
 */
async function asked(
  beginning: Beginning,
  values: Readonly<Record<string, string>>,
  all: DiscoverImportedOptions,
  budget: Budget,
  isSized = true,
): Promise<Discovery | string> {
  const { signal, guess } = all;
  const { recorded, described, request, name } = beginning;
  if (recorded === undefined && !budget.isReachable) return 'The API could not be reached.';
  if (recorded === undefined && budget.left <= 0) return 'The limit of requests is reached.';
  const plain = filled(request.url, values);
  const url = isSized ? withPageSize(plain, described) : plain;
  const sinceParam = described?.params.find((each) => /since$/i.test(each.name))?.name;
  try {
    const discovery = await discoverSubject(subjectOf({ ...request, url }, budget.taken), {
      dataType: name,
      ...defined({ guess, signal, sinceParam }),
      ...(recorded === undefined
        ? sending(all, budget)
        : { maxRequests: MOST_PER_LIST, fetch: recordedFetch(recorded) }),
    });
    if (recorded === undefined) spend(budget, discovery.requests);
    return url === plain ? discovery : withSized(discovery);
  } catch (error) {
    if (signal?.aborted === true || !(error instanceof HeadwaterError)) throw error;
    if (recorded === undefined) spend(budget, 1);
    if (url !== plain && error.status !== undefined && REFUSED_VALUE.has(error.status))
      return asked(beginning, values, all, budget, false);
    if (error.code.startsWith('NETWORK_')) budget.isReachable = false;
    return printable(error.message);
  }
}

/** Returns the options for requests that are sent. */
const sending = (
  { mayExceed, onRequest, dispatcher, fetch }: DiscoverImportedOptions,
  { left }: Budget,
): Pick<DiscoverOptions, 'maxRequests' | 'mayExceed' | 'onRequest' | 'dispatcher' | 'fetch'> => ({
  maxRequests: Math.min(left, MOST_PER_LIST),
  ...defined({ mayExceed, onRequest, dispatcher, fetch }),
});

const withSized = (discovery: Discovery): Discovery => ({
  ...discovery,
  comments: { ...discovery.comments, ...SIZED },
});

function spend(budget: Budget, requests: number): void {
  budget.left -= requests;
  budget.sent += requests;
}

/**
 * Returns the findings about a list from its description, or from its recorded response.
 *
 * @param taken as in `subjectOf`
 */
function unasked(beginning: Beginning, why: string, taken: Map<string, string>): Discovery {
  const { described, recorded: [recorded] = [], name: dataType, request } = beginning;
  const sizedUrl = withPageSize(request.url, described);
  const subject = subjectOf({ ...request, url: sizedUrl }, taken);
  const { url, status, headers } = recorded ?? { url: subject.url, status: 200, headers: {} };
  const data = recorded === undefined ? described?.sample : parseData(recorded.body);
  const place = findData(data, url);
  const seen = seenIn({ url, status, headers, data }, place.value);
  const asked = new Map([
    ...(described?.params ?? []).flatMap(({ name, fallback }): [string, string][] =>
      isScalar(fallback) && fallback !== null ? [[name, textOf(fallback)]] : [],
    ),
    ...seen.asked,
  ]);
  const paging = describedPaging(
    { ...seen, asked },
    recorded === undefined ? (described ?? { params: [] }) : undefined,
  );
  const source = recorded === undefined ? 'The description of the API says so' : 'The recording says so';
  const findings: readonly DiscoveryFinding[] = [
    {
      about: 'data',
      value: place.value.dataField ?? 'the response itself',
      confidence: recorded === undefined ? 'unsure' : place.confidence,
      reason: data === undefined ? 'Nothing says where the items are.' : `${source}: ${place.reason}`,
    },
    {
      about: 'paging',
      value: pagingName(paging.value),
      confidence: 'unsure',
      reason: `${paging.reason} (${why.replace(/\.$/, '')}.)`,
    },
    ...credentialFinding(subject).map((each) => ({ ...each, confidence: 'unsure' as const })),
  ];
  const { dataField, rows } = place.value;
  const parts = { subject, dataField, rows, pagination: paging.value, dataType };
  const discovery = discoveryOf(parts, findings, { items: recorded === undefined ? [] : place.value.items });
  return sizedUrl === request.url ? discovery : withSized(discovery);
}
