/**
 * The public API of Headwater. `headwater/components` defines parts of the language, `headwater/operators` has operators. docs/api lists
 * all entries with their signatures.
 */
export { extract } from './run/extract';
export type { Extraction, ExtractOptions } from './run/extract';
export { prepare } from './run/prepare';
export type { OptionsOfRun, PreparedConfiguration, PrepareOptions } from './run/prepare';
export type {
  DateFormat,
  ParameterDeclaration,
  Parameters,
  ParameterType,
  ParameterTypes,
  ParameterValue,
  ParameterValues,
} from './run/parameters';
export { createProgress } from './run/progress/progress';
export type { RunProgress, SavedProgress } from './run/progress/progress';
export { progressStores } from './run/progress/progress';
export type {
  KeyValueBucket,
  PostgresQueries,
  ProgressStore,
  ProgressStores,
  TextPlace,
} from './run/progress/progress';
export { resumable } from './run/progress/resumable';
export type { AcknowledgedPage, Resumable, ResumableOptions } from './run/progress/resumable';
export type { OnJobError } from './run/run-end';
export type { Bigints } from './run/streams/decoding';
export type { DecodedBy, Decoder, EitherDecoder, Issue, ParsingDecoder } from './run/streams/decoding';
export type { StandardDecoder, StandardResult } from './run/streams/decoding';
export type { ItemDecoders, ItemOf, ItemOfJob, ItemOptions, NoDecoders } from './run/streams/decoding';
export type { InvalidItem, OnInvalid } from './run/streams/decoding';
export type { ItemEvent, ItemStreams } from './run/streams/streams';
export type { IncrementalJob, JobPlace, OutputPlan, SincePrevious } from './plan/plan';
export type { Load } from './language/configuration/jobs/table';
export type { ChosenColumn, ChosenColumns } from './language/parts/sink';
export type { ChosenType } from './core/json/column-type';
export type { Nesting } from './language/configuration/jobs/table';
export type { TransportChoice } from './run/sessions/sessions';
export type { ProxyVariables } from './http/transport/proxies';
export { client } from './run/client';
export type { Client, ClientDeliverOptions, ClientExtractOptions, ClientOnly, ClientOptions } from './run/client';
export type { ClientCredentials, PlainRequest } from './run/client';
export type { ClientSections } from './run/client';
export type { ClientTuneSettings } from './run/client';
export type { Tunable } from './run/tuning';
export type { RequestSettings, TuneSettings } from './run/tuning';
export { defineConfig } from './language/define-config';
export type { KnownKeys } from './language/define-config';
export { secretsOf, validate } from './run/validate';
export type { ValidateOptions } from './run/validate';
export type { Validation } from './run/validate';
export type { UnsetOption } from './language/references/read';
export { readConfiguration } from './language/reading/read-configuration';
export type { ReadConfiguration, ReadOptions } from './language/reading/read-configuration';
export type { FilePlace } from './language/reading/source';
export { readEnvFiles } from './language/environment';
export type { Environment, EnvironmentOptions } from './language/environment';
export type { TableNaming } from './plan/tables';
export type { Part } from './language/parts/parts';
export {
  catalogMessage,
  checkMessage,
  errorMessage,
  readMessages,
  specMessage,
} from './explore/import/airbyte/protocol';
export type { AirbyteMessage, AirbyteSource } from './explore/import/airbyte/protocol';
export { airbyteStates, isAirbyteState, stateFromAirbyte, stateToAirbyte } from './explore/import/airbyte/cursors';
export type { StreamCursor } from './explore/import/airbyte/cursors';
export { fromAirbyte } from './explore/import/airbyte/streams';
export {
  airbyteMissing,
  airbyteSecrets,
  connectionSpecificationOf,
  withAttributes,
} from './explore/import/airbyte/specification';
export { fetchAirbyteSource, readAirbyteManifest } from './explore/import/airbyte/source';
export type { AirbyteManifest, FetchAirbyteOptions } from './explore/import/airbyte/source';
export type { AirbyteOptions, FromAirbyte, LeftOut } from './explore/import/airbyte/streams';
export { discover } from './explore/discover/discover';
export type { Discovery, DiscoverOptions, DiscoveryFinding } from './explore/discover/discover';
export { discoverImported } from './explore/discover/imported';
export type { DiscoverImportedOptions, ImportedDiscovery, ImportedList } from './explore/discover/imported';
export type { ImportChoice } from './explore/import/imported';
export type { AskedRequest, AskOptions } from './explore/discover/requests';
export type { Confidence, Detected } from './explore/detect/model';
export { nameOfJob } from './explore/detect/configuration';
export { configurationText } from './explore/detect/configuration-text';
export type { Comments, ConfigurationFormat } from './explore/detect/configuration-text';
export { hintsIn, printable } from './explore/detect/configuration-text';
export { writtenAddress } from './explore/detect/subject';
export type { WrittenRequest } from './explore/detect/subject';
export type { Credential } from './explore/detect/subject';
export type { Described, DescribedParam } from './explore/detect/model';
export type { RecordedAnswer } from './explore/detect/recorded-fetch';
export { importCurl, readCurl } from './explore/import/curl';
export { fetchOpenApi } from './explore/import/openapi/openapi';
export type { FetchOpenApiOptions } from './explore/import/openapi/openapi';
export { importOpenApi, looksLikeOpenApi } from './explore/import/openapi/openapi';
export type { OpenApiOptions } from './explore/import/openapi/openapi';
export { importHar } from './explore/import/har';
export type { Beginning, Imported } from './explore/import/imported';
export { explain, partsOf, schemaOf } from './explore/manual/explain';
export type { Explanation, PartSummary } from './explore/manual/explain';
export type { Schema, SchemaDocument, TypeName } from './language/codec/schema';
export { deliver } from './run/deliver/deliver';
export type { DeliverOptions, Delivery } from './run/deliver/deliver';
export { deliver$ } from './run/deliver/deliver-stream';
export type { DeliveryStream } from './run/deliver/deliver-stream';
export type { Amounts, DeliveryProgress, JobAmounts } from './run/deliver/deliver-stream';
export { explainConfiguration, preview, probe, requestsOf } from './explore/probe/probe';
export type { Probe } from './explore/probe/probe';
export type { PreviewOptions } from './explore/probe/preview';
export type {
  ExchangePreview,
  FoundPreview,
  JobPreview,
  PagePreview,
  Preview,
  RequestPreview,
  ResponsePreview,
  TablePreview,
} from './explore/probe/model';
export type { JobRequests, PlannedRequest, RequestsAfter, RequestsOf, RequestsOptions } from './explore/probe/requests';
export type { Variable } from './explore/probe/shell-command';
export { diagnose } from './explore/doctor/diagnose';
export type { DiagnoseOptions } from './explore/doctor/diagnose';
export type { Diagnosis } from './explore/doctor/machine';
export { acceptedText, readAccepted } from './explore/regression/accepted';
export { differencesOf } from './explore/regression/differences';
export type { RunDifference } from './explore/regression/differences';
export { replayRun } from './explore/regression/replay-run';
export type {
  ReplayedJob,
  ReplayedRun,
  ReplayedTable,
  ReplayedWarning,
  Replaying,
  ReplayRunOptions,
} from './explore/regression/replay-run';
export { openData } from './explore/query/open';
export type { ColumnSummary, DataColumn, LoadedData, QueryResult, TableSummary } from './explore/query/model';
export type { Paragraph } from './explore/probe/sentences';
export { logIn } from './run/sessions/log-in';
export type { LoginOptions } from './run/sessions/log-in';
export { checkDestinations } from './run/deliver/check-destinations';
export { checkSharedTables } from './run/deliver/check-destinations';
export type { ConfigurationTables } from './run/deliver/check-destinations';
export { placeOf } from './run/deliver/places';
export { destinationOf, sinks } from './run/deliver/destinations';
export type { DestinationOptions, NamedSink } from './run/deliver/destinations';
export type { WrittenDestination } from './language/configuration/destination';
export type { Destination, Warn } from './language/parts/sink';
export type { CsvOptions } from './sinks/csv';
export type { Compression } from './sinks/files/old-files';
export type { NatsSinkOptions } from './sinks/nats';
export type { NdjsonSinkOptions } from './sinks/ndjson';
export type { ParquetOptions } from './sinks/parquet';
export type { NestingOptions, StructOptions } from './sinks/options';
export type { CsvLayout } from './sinks/csv/files';
export { ConfigurationError, FatalError, HeadwaterError, IncompleteError, RetryableError } from './core/errors/errors';
export { InvalidItemError } from './core/errors/errors';
export { JobsFailedError } from './core/errors/errors';
export type { JobFailure } from './core/errors/errors';
export type {
  ErrorCode,
  ErrorDetails,
  ErrorJson,
  Fault,
  FaultCode,
  JobDoubt,
  Recovery,
  RequestFacts,
  ResumePoint,
} from './core/errors/errors';
export type { EventError } from './core/errors/errors';
export type {
  Counted,
  Happening,
  JobOutcome,
  Outcome,
  RequestFields,
  RunEvent,
  Tally,
  WarningCode,
} from './core/events';
export { jobNameOf } from './core/text';
export { NO_RUN, RunCounter, progressOf, snapshotAfter } from './run/run-snapshot';
export type { Counts, JobSnapshot, RunSnapshot } from './run/run-snapshot';
export type { Har, HarEntry, HarHeader } from './run/recording';
export { createSeal, isSealed } from './core/sealed';
export type { Seal } from './core/sealed';
export { createLogger } from './run/log/logger';
export type { Log, LogFormat, LogLevel } from './core/log';
export type { Completeness, Doubt, DoubtCode, Evidence, EvidenceFact, EvidenceFacts, Shaped } from './core/evidence';
export type { PageStamp, Stamped } from './core/evidence';
export type {
  CommittedRun,
  DurableSink,
  EmptyTables,
  Made,
  PartJournal,
  RowCounts,
  RunFacts,
  RunManifest,
  SchemaChange,
  SharedJournal,
  Standing,
  Stored,
  TableStand,
  WritePage,
} from './core/durable-sink';
export type {
  Checkpoint,
  PageCursor,
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
  ScratchBuffer,
  Sink,
} from './core/model';
export { parseJson } from './core/json/parse';
export { stringifyJson } from './core/json/stringify';
export type { SaveState } from './run/state/kept-credentials';
export { ndjson } from './sinks/ndjson/stream';
export type { NdjsonOptions } from './sinks/ndjson/stream';
export { toAsyncIterable } from './operators/interop/iterable';
export type { Gate, PullOptions } from './operators/interop/iterable';
export { withObservable } from './operators/interop/observable';
export { flattenIterable } from './operators/interop/iterable';
export { toNodeReadable } from './operators/interop/readable';
export { toWebReadable } from './operators/interop/readable';
export { version } from './core/version';
export type { Configuration } from '#written';
