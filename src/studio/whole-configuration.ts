/** The configuration that a text stands for, with the parts that it extends. The page sees and writes the text alone. */
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

/** A configuration of which the page knows one file. */
export interface Whole {
  /** What a run gets. */
  readonly config: Json;
  /** What each of its files says alone. */
  readonly values: readonly Json[];
  /** The place in the text; one of a part has the file and the line before it. */
  readonly placeOf: (path: string) => string;
  /** What was found at a place, with such a place, and with the file where that is a part. */
  readonly told: <F extends { readonly path: string }>(finding: F) => F & { readonly part?: string };
  /** The error with such places. */
  readonly placed: (error: unknown) => unknown;
  /**
   * What its parts say, as far as the page shows it; absent where it has none.
   *
   * @param hide puts placeholders in the stead of secrets
   */
  readonly beneath?: (hide: (value: string) => string) => Beneath;
}

/** Where a text belongs, and how it is read. */
export interface Place {
  readonly path: string;
  readonly language: Language;
}

/**
 * Reads a text, and the parts that it names.
 *
 * @throws RefusedRequest NOT_READABLE, FatalError CONFIG_UNREADABLE
 * @example (await wholeOf('extends: ./base.yaml', { path: 'rivers.yaml', language: 'yaml' })).config
 */
export async function wholeOf(text: string, { path, language }: Place): Promise<Whole> {
  const value = valueOf(text, language);
  if (!namesParts(value))
    return { config: value, values: [value], placeOf: (place) => place, told: (it) => it, placed: (error) => error };
  const { configuration, values, originOf, placeOf: lineOf, beneath } = await readConfigurationText(path, text);
  const placeOf = (place: string): string => {
    const { file, path: own } = originOf(place);
    return file === path ? own : placeInPart(file, lineOf(place), place);
  };
  const told: Whole['told'] = (finding) => {
    const { file } = originOf(finding.path);
    return { ...finding, path: placeOf(finding.path), ...(file === path ? {} : { part: file }) };
  };
  return {
    ...{ config: configuration as Json, values: values as readonly Json[], placeOf, told },
    placed: (error) => (error instanceof ConfigurationError ? new ConfigurationError(error.faults.map(told)) : error),
    ...(beneath === undefined ? {} : { beneath: (hide) => beneathOf(beneath, { path, hide }) }),
  };
}

/** What the page gets of the files on which the one that it shows is laid. */

/** What previews, runs and messages call a place of a part: its file, line and column are before its path. */
const placeInPart = (file: string, at: FilePlace | undefined, path: string): string =>
  `${file}${at === undefined ? '' : `:${at.line}:${at.column}`} ${path}`;

/** What {@link beneathOf} is given beside the parts. */
interface BeneathOptions {
  /** The file that the page shows. */
  readonly path: string;
  /** Puts placeholders in the stead of secrets. */
  readonly hide: (value: string) => string;
}

/**
 * Takes out of parts what the page shows: the jobs, with what they are called and ask for, and how pages are found.
 *
 * @example beneathOf(read.beneath, { path: 'rivers.yaml', hide }).places['config.jobs[0]'].file // 'base.yaml'
 */
function beneathOf(parts: PartsBeneath, { path, hide }: BeneathOptions): Beneath {
  const { api, config } = membersOf(parts.configuration);
  const { jobs, sinks } = membersOf(config);
  const { pagination } = membersOf(api);
  const places = [...(pagination === undefined ? [] : ['api.pagination']), ...pathsOf(jobs, 'config.jobs')];
  const told = (place: string): PartPlace => {
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
    places: Object.fromEntries(places.map((place) => [place, told(place)])),
  };
}

const membersOf = (value: unknown): Readonly<Record<string, Json | undefined>> =>
  isObject(value as Json) ? (value as JsonObject) : {};

const pathsOf = (jobs: Json | undefined, above: string): readonly string[] =>
  (isList(jobs) ? jobs : []).flatMap((job, at) => {
    const place = `${above}[${at}]`;
    return [place, ...pathsOf(membersOf(job)['children'], `${place}.children`)];
  });

/** The method, and which other settings there are: their values may be anything. */
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

/** Expressions are none, nor are numbers whose digits the page would change. */
const shownName = (value: Json | undefined, hide: (value: string) => string): Json | undefined =>
  typeof value === 'string' ? hide(value) : Number.isSafeInteger(value) ? value : undefined;

function shownCursor(field: Json | undefined, hide: (value: string) => string): JsonObject {
  const shown = shownName(field, hide);
  return shown === undefined ? {} : { field: shown };
}
