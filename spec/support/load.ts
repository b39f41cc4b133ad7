/** Runs whose tables are made at one go, as `headwater component` makes them. */
import { deliver, sinks } from '../../src';
import type { CsvLayout, DeliverOptions, Destination, JsonObject } from '../../src';

/** The files of `headwater component` (language 8.11). */
export const COMPONENT: CsvLayout = { suffix: '', bucketPrefix: 'always', manifests: true };

/** CSV files that are made at one go, in a folder that has nothing else. */
export const filesIn = (folder: string, layout: CsvLayout = COMPONENT, spoolFolder?: string): Destination =>
  sinks.csv(folder, { layout, keepsNothing: true, ...(spoolFolder === undefined ? {} : { spoolFolder }) });

/** @returns the state for the next run */
export const load = async (
  config: unknown,
  destination: Destination,
  options: DeliverOptions = {},
): Promise<JsonObject> => (await deliver(config as JsonObject, [destination], options)).state;
