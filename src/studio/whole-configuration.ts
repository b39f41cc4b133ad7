/** The configuration of a text, with the parts that it extends. The page reads and writes only the text. */
import { dirname, relative } from 'node:path';
import { ConfigurationError } from '..';
import type { Json, JsonObject } from '..';
import { isList, isObject, ownValue } from '../core/json/objects';
import { namesParts } from '../language/reading/parts';
import { readConfigurationText } from '../language/reading/read-configuration';
import type { PartsBeneath } from '../language/reading/read-configuration';
import type { FilePlace } from '../language/reading/source';
import { valueOf } from './configuration-file';
import type { Language } from './configuration-file';
import type { Beneath, PartPlace } from './wire';

/** A configuration of which the page has one file. */
export interface Whole {
  /** The configuration of a run. */
  readonly config: Json;
  /** The value of each of its files alone. */
  readonly values: readonly Json[];
  /** Returns the place in the text; for a part, with its file and line before it. */
  readonly placeOf: (path: string) => string;
  /** Returns a finding with such a place, and with the file if that is a part. */
  readonly ofPart: <F extends { readonly path: string }>(finding: F) => F & { readonly part?: string };
  /** Returns the error with such places. */
  readonly placed: (error: unknown) => unknown;
  /**
   * Returns the settings of its parts that the page shows; absent if there are no parts.
   *
   * @param hide puts placeholders in place of secrets
   */
  readonly beneath?: (hide: (value: string) => string) => Beneath;
}

/** The place of a string, and its language. */
export interface Place {
  readonly path: string;
  readonly language: Language;
}

/**
 * Reads a string, and the parts that it names.
 *
 * @throws RefusedRequest NOT_READABLE, FatalError CONFIG_UNREADABLE
 * @example (await wholeConfigurationOf('extends: ./base.yaml', { path: 'rivers.yaml', language: 'yaml' })).config
 */
export async function wholeConfigurationOf(text: string, { path, language }: Place): Promise<Whole> {
  const value = valueOf(text, language);
  if (!namesParts(value))
    return { config: value, values: [value], placeOf: (place) => place, ofPart: (it) => it, placed: (error) => error };
  const { configuration, values, originOf, placeOf: lineOf, beneath } = await readConfigurationText(path, text);
  const placeOf = (place: string): string => {
    const { file, path: own } = originOf(place);
    return file === path ? own : placeInPart(file, lineOf(place), place);
  };
  const ofPart: Whole['ofPart'] = (finding) => {
    const { file } = originOf(finding.path);
    return { ...finding, path: placeOf(finding.path), ...(file === path ? {} : { part: file }) };
  };
  return {
    ...{ config: configuration as Json, values: values as readonly Json[], placeOf, ofPart },
    placed: (error) => (error instanceof ConfigurationError ? new ConfigurationError(error.faults.map(ofPart)) : error),
    ...(beneath === undefined ? {} : { beneath: (hide) => beneathOf(beneath, { path, hide }) }),
  };
}

/** Returns the place in a part as previews, runs and messages name it: its file, line and column before its path. */
const placeInPart = (file: string, at: FilePlace | undefined, path: string): string =>
  `${file}${at === undefined ? '' : `:${at.line}:${at.column}`} ${path}`;

/** The options of {@link beneathOf} beside the parts. */
interface BeneathOptions {
  /** The file in the page. */
  readonly path: string;
  /** Puts placeholders in place of secrets. */
  readonly hide: (value: string) => string;
}

/**
 * Returns the settings of parts that the page shows: the jobs with their names and requests, and how pages are found.
 *
 * @example beneathOf(read.beneath, { path: 'rivers.yaml', hide }).places['config.jobs[0]'].file // 'base.yaml'
 */
function beneathOf(parts: PartsBeneath, { path, hide }: BeneathOptions): Beneath {
  const { api, config } = membersOf(parts.configuration);
  const { jobs, sinks } = membersOf(config);
  const { pagination } = membersOf(api);
  const places = [...(pagination === undefined ? [] : ['api.pagination']), ...pathsOf(jobs, 'config.jobs')];
  const partPlaceOf = (place: string): PartPlace => {
    const { file } = parts.originOf(place);
    const at = parts.placeOf(place);
    const shown = { file: relative(dirname(path), file), place: placeInPart(file, at, place) };
    return at === undefined ? shown : { ...shown, line: at.line };
  };
  return {
    config: {
      ...(pagination === undefined ? {} : { api: { pagination: shownPagination(pagination) } }),
      config: {
        ...(isList(jobs) ? { jobs: jobs.map((job) => shownJob(job, hide)) } : {}),
        ...(isList(sinks) ? { sinks: sinks.map(() => true) } : {}),
      },
    },
    places: Object.fromEntries(places.map((place) => [place, partPlaceOf(place)])),
  };
}

const membersOf = (value: unknown): Readonly<Record<string, Json | undefined>> =>
  isObject(value as Json) ? (value as JsonObject) : {};

const pathsOf = (jobs: Json | undefined, above: string): readonly string[] =>
  (isList(jobs) ? jobs : []).flatMap((job, at) => {
    const place = `${above}[${at}]`;
    return [place, ...pathsOf(membersOf(job)['children'], `${place}.children`)];
  });

/** Returns the method, and the names of the other settings, whose values may be anything. */
const shownPagination = (pagination: Json): Json =>
  isObject(pagination)
    ? Object.fromEntries(
        Object.keys(pagination).map((key) => [key, key === 'method' ? (ownValue(pagination, key) ?? null) : true]),
      )
    : true;

function shownJob(job: Json, hide: (value: string) => string): JsonObject {
  const { id, dataType, endpoint, concurrency, primaryKey, incremental, children, window, partitions } = membersOf(job);
  const shown: Record<string, Json | undefined> = {
    ...{ id: shownName(id, hide), dataType: shownName(dataType, hide), endpoint: shownName(endpoint, hide) },
    ...{ concurrency: Number.isSafeInteger(concurrency) ? concurrency : undefined },
    primaryKey: isList(primaryKey)
      ? primaryKey.flatMap((key) => shownName(key, hide) ?? [])
      : shownName(primaryKey, hide),
    incremental: isObject(incremental) ? shownCursor(ownValue(incremental, 'field'), hide) : undefined,
    ...{ window: isSet(window) ? true : undefined, partitions: isSet(partitions) ? true : undefined },
    children: isList(children) ? children.map((child) => shownJob(child, hide)) : undefined,
  };
  return Object.fromEntries(Object.entries(shown).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

const isSet = (value: Json | undefined): boolean => value !== undefined && value !== null;

/** Returns a name that may be shown: expressions are none, nor are numbers whose digits the page would change. */
const shownName = (value: Json | undefined, hide: (value: string) => string): Json | undefined =>
  typeof value === 'string' ? hide(value) : Number.isSafeInteger(value) ? value : undefined;

function shownCursor(field: Json | undefined, hide: (value: string) => string): JsonObject {
  const shown = shownName(field, hide);
  return shown === undefined ? {} : { field: shown };
}
