/** The configuration that a text stands for, with the parts that it extends. The page sees and writes the text alone. */
import { ConfigurationError } from '..';
import type { Json } from '..';
import { namesParts } from '../language/reading/parts';
import { readConfigurationText } from '../language/reading/read-configuration';
import { beneathOf, placeInPart } from './beneath';
import type { Beneath } from './wire';
import { valueOf } from './written-text';
import type { Language } from './written-text';

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
