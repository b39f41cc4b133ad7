/**
 * The public API of Headwater. What defines parts of the language is in `headwater/components`, operators are in `headwater/operators`.
 * docs/api has all entries with their signatures.
 */
export { extract } from './extract';
export type { Extraction, ExtractOptions } from './extract';
export { prepare } from './parameters/prepare';
export type { OptionsOfRun, PreparedConfiguration, PrepareOptions } from './parameters/prepare';
export type {
  DateFormat,
  ParameterDeclaration,
  Parameters,
  ParameterType,
  ParameterTypes,
  ParameterValue,
  ParameterValues,
} from './parameters/parameters';
export { createProgress } from './progress/saved';
export type { RunProgress, SavedProgress } from './progress/saved';
export { progressStores } from './progress/store';
export type { KeyValueBucket, PostgresQueries, ProgressStore, ProgressStores, TextPlace } from './progress/store';
export { resumable } from './progress/resumable';
export type { AcknowledgedPage, Resumable, ResumableOptions } from './progress/resumable';
export type { OnJobError } from './job-failures';
export type { Bigints } from './streams/bigints';
export type { DecodedBy, Decoder, EitherDecoder, Issue, ParsingDecoder } from './streams/decoder';
export type { StandardDecoder, StandardResult } from './streams/decoder';
export type { ItemDecoders, ItemOf, ItemOfJob, ItemOptions, NoDecoders } from './streams/decoders-of-jobs';
export type { InvalidItem, OnInvalid } from './streams/item-decoding';
export type { ItemEvent, ItemStreams } from './streams/streams';
export type { IncrementalJob, JobPlace, OutputPlan, SincePrevious } from './plan/plan';
export type { Load } from './config/jobs/load';
export type { ChosenColumn, ChosenColumns } from './plan/column-types';
export type { ChosenType } from './json/column-type';
export type { Nesting } from './config/jobs/nesting';
export type { TransportChoice } from './sessions';
export type { ProxyVariables } from './http/transport/proxies';
export { client } from './client';
export type { Client, ClientDeliverOptions, ClientExtractOptions, ClientOnly, ClientOptions } from './client';
export type { ClientCredentials, PlainRequest } from './client-credentials';
export type { ClientSections } from './client-document';
export type { ClientTuneSettings } from './client-tuning';
export type { Tunable } from './tunable';
export type { RequestSettings, TuneSettings } from './tuning';
export { defineConfig } from './define-config';
export { secretsOf, validate } from './validate';
export type { ValidateOptions } from './prepare';
export type { Validation } from './validate';
export type { UnsetOption } from './unset';
export { readConfiguration } from './reading/read-configuration';
export type { ReadConfiguration, ReadOptions } from './reading/read-configuration';
export type { FilePlace } from './reading/source';
export { readEnvFiles } from './environment';
export type { Environment, EnvironmentOptions } from './environment';
export type { TableNaming } from './plan/table-names';
export type { Part } from './config/parts/parts';
export { discover } from './discover';
export type { Discovery, DiscoverOptions, DiscoveryFinding } from './discover';
export { discoverImported } from './discover-imported';
export type { DiscoverImportedOptions, ImportedDiscovery, ImportedList } from './discover-imported';
export type { ImportChoice } from './import/chosen';
export type { AskOptions } from './discover-requests';
export type { Confidence, Detected } from './discover/detected';
export { configurationText } from './discover/configuration-text';
export type { Comments, ConfigurationFormat } from './discover/configuration-text';
export { printable } from './discover/printable';
export { writtenAddress } from './discover/written-address';
export type { WrittenRequest } from './discover/subject';
export type { Credential } from './discover/subject';
export type { Described, DescribedParam } from './discover/described';
export type { RecordedAnswer } from './discover/recorded';
export { importCurl, readCurl } from './import/curl';
export { fetchOpenApi } from './fetch-openapi';
export type { FetchOpenApiOptions } from './fetch-openapi';
export { importOpenApi, looksLikeOpenApi } from './import/openapi';
export type { OpenApiOptions } from './import/openapi';
export { importHar } from './import/har';
export type { Beginning, Imported } from './import/imported';
export { explain, partsOf, schemaOf } from './explain';
export type { Explanation, PartSummary } from './explain';
export type { Schema, SchemaDocument, TypeName } from './codec/schema';
export { deliver } from './deliver';
export type { DeliverOptions, Delivery } from './delivery';
export { deliver$ } from './deliver-stream';
export type { DeliveryStream } from './deliver-stream';
export type { Amounts, DeliveryProgress, JobAmounts } from './delivery-progress';
export { preview } from './preview/preview';
export type { PreviewOptions } from './preview/preview';
export type {
  ExchangePreview,
  FoundPreview,
  JobPreview,
  PagePreview,
  Preview,
  RequestPreview,
  ResponsePreview,
  TablePreview,
} from './preview/model';
export { requestsOf } from './preview/requests';
export type { JobRequests, PlannedRequest, RequestsOf, RequestsOptions } from './preview/requests';
export type { Variable } from './preview/variables';
export { diagnose } from './doctor/diagnose';
export type { DiagnoseOptions } from './doctor/diagnose';
export type { Diagnosis } from './doctor/model';
export { acceptedText, readAccepted } from './regression/accepted';
export { differencesOf } from './regression/differences';
export { replayRun } from './regression/replay-run';
export type { ReplayRunOptions } from './regression/replay-run';
export type {
  ReplayedJob,
  ReplayedRun,
  ReplayedTable,
  ReplayedWarning,
  Replaying,
  RunDifference,
} from './regression/model';
export { openData } from './query/open';
export type { ColumnSummary, DataColumn, LoadedData, QueryResult, TableSummary } from './query/model';
export { explainConfiguration } from './preview/sentences';
export type { Paragraph } from './preview/sentences';
export { logIn } from './log-in';
export type { LoginOptions } from './log-in';
export { checkDestinations } from './check-destinations';
export { checkSharedTables } from './shared-tables';
export type { ConfigurationTables } from './shared-tables';
export { placeOf } from './state/place';
export { destinationOf, sinks } from './destinations';
export type { DestinationOptions, NamedSink } from './destinations';
export type { WrittenDestination } from './config/destinations/written';
export type { Destination, Warn } from './sinks/define-sink';
export type { CsvOptions } from './sinks/csv';
export type { Compression } from './sinks/files/compression';
export type { NatsSinkOptions } from './sinks/nats';
export type { NdjsonSinkOptions } from './sinks/ndjson';
export type { ParquetOptions } from './sinks/parquet/folder';
export type { NestingOptions, StructOptions } from './sinks/linked/nesting';
export type { CsvLayout } from './sinks/csv/files';
export { ConfigurationError, FatalError, HeadwaterError, IncompleteError, RetryableError } from './errors';
export { InvalidItemError } from './errors/invalid-item';
export { JobsFailedError } from './errors/jobs-failed';
export type { JobFailure } from './errors/jobs-failed';
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
} from './errors';
export type { ToldError } from './errors/told-error';
export type { Counted, Happening, JobOutcome, Outcome, RequestFields, RunEvent, WarningCode } from './events';
export { jobNameOf } from './job-name';
export { NO_RUN, progressOf, snapshotAfter } from './run-snapshot';
export type { Counts, JobSnapshot, RunSnapshot } from './run-snapshot';
export type { Har, HarEntry, HarHeader } from './recording/har';
export { createSeal, isSealed } from './sealed';
export type { Seal } from './sealed';
export { createLogger } from './logger';
export type { Log, LogFormat, LogLevel } from './log';
export type { CutLists, Completeness, Doubt, DoubtCode, Evidence, Shaped } from './evidence';
export type { PageStamp, Stamped } from './evidence';
export type {
  DurableSink,
  Made,
  EmptyTables,
  RunFacts,
  RunManifest,
  SchemaChange,
  Standing,
  TableStand,
  RowCounts,
  Stored,
  WritePage,
} from './durable-sink';
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
} from './model';
export { parseJson } from './json/parse';
export { stringifyJson } from './json/stringify';
export type { SaveState } from './state/credential-store';
export { ndjson } from './sinks/ndjson/stream';
export type { NdjsonOptions } from './sinks/ndjson/stream';
export { toAsyncIterable } from './interop/async-iterable';
export type { Gate, PullOptions } from './interop/async-iterable';
export { withObservable } from './interop/interop-observable';
export { flattenIterable } from './interop/flatten-iterable';
export { toNodeReadable } from './interop/node-readable';
export { toWebReadable } from './interop/web-readable';
export { version } from './version';
export type { Configuration } from '#written';
