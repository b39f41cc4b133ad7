/** The public API of Headwater. */
export { extract } from './extract';
export type { Extraction, ExtractOptions } from './extract';
export { defineConfig } from './define-config';
export { validate } from './prepare';
export type { ValidateOptions } from './prepare';
export type { Part } from './config/parts';
export { deliver } from './deliver';
export type { DeliverOptions, Delivery } from './deliver';
export { checkDestinations } from './check-destinations';
export type { Making } from './check-destinations';
export { destinationOf, sinks } from './destinations';
export type { DestinationOptions } from './destinations';
export type { Tell } from './tell';
export { defineSink } from './sinks/define-sink';
export type { Destination, SinkAddress, SinkContext, SinkDefinition, Warn } from './sinks/define-sink';
export { durableSink } from './sinks/durable';
export type { DestinationParts, Left, Publication } from './sinks/durable';
export { fileJournal } from './sinks/journal/file-journal';
export type { Journal, JournaledPage, JournaledPlace, Receipt, RunJournal } from './sinks/journal/journal';
export type { CsvOptions } from './sinks/csv';
export type { CsvLayout } from './sinks/csv/files';
export { ConfigurationError, FatalError, HeadwaterError, IncompleteError, RetryableError } from './errors';
export type { ErrorCode, ErrorDetails, ErrorJson, Fault, JobDoubt, Recovery, RequestFacts } from './errors';
export type { JobOutcome, Outcome, Report, RunEvent, WarningCode } from './events';
export { createSeal, isSealed } from './sealed';
export type { Seal } from './sealed';
export { createLogger } from './log';
export type { Log, LogFormat, LogLevel } from './log';
export type { Completeness, Doubt, DoubtCode, Evidence } from './evidence';
export type { DurableSink, Made, RunHead, Standing, Stored } from './durable-sink';
export type {
  Checkpoint,
  Headers,
  HttpMethod,
  Item,
  JobRef,
  Json,
  JsonArray,
  JsonObject,
  JsonScalar,
  Page,
  Progress,
  Purpose,
  Reply,
  Request,
  Response,
  Room,
  Sink,
} from './model';
export { parseJson } from './json/parse';
export { stringifyJson } from './json/stringify';
export { nextState } from './state/next-state';
export type { SaveState } from './state/credential-store';
export { ndjson } from './sinks/ndjson/stream';
export type { NdjsonOptions } from './sinks/ndjson/stream';
export { toAsyncIterable } from './interop/async-iterable';
export { flattenIterable } from './interop/flatten-iterable';
export { toNodeReadable } from './interop/node-readable';
export { toWebReadable } from './interop/web-readable';
export * as operators from './operators';
export { version } from './version';
export type { Configuration } from './written';
