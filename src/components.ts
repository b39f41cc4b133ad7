/**
 * The module `headwater/components`: everything that an application needs to add parts to the language of configurations. They are passed
 * in the option `components` of `extract`, `deliver` and `validate`.
 */

// Pagination methods.
export { definePagination } from './language/parts/pagination/pagination';
export type { PaginationDefinition, PaginationParts, ScrollRequest } from './language/parts/pagination/pagination';
export { goOn, stop } from './language/parts/pagination/paginator';
export type { Arrival, JobFacts, Next, Paginator, Step } from './language/parts/pagination/paginator';
export { integerParam, withoutParam, withParams } from './sources/pagination/options';
export { place } from './language/parts/pagination/place';
export type { Place } from './language/parts/pagination/place';
export { placed } from './language/parts/pagination/place';
export type { Placement } from './language/parts/pagination/place';
export type { RequestChange } from './language/requests/template';
export { exactValueAt, valueAt } from './core/json/path';

// Types of authentication.
export { defineAuthentication } from './language/parts/authentication';
export type {
  AuthenticationDefinition,
  AuthenticationManual,
  AuthenticationParts,
  CompileInput,
} from './language/parts/authentication';
export type { AuthenticationPlace, AuthenticationPlan, AuthenticationRuntime } from './language/parts/authentication';
export type { OauthCredentials, Surroundings } from './language/parts/authentication';
export { perRequest } from './auth/per-request';
export type { Credentials, CredentialSource, SendTimed, TimedResponse } from './core/model';
export type { Secrets } from './core/secrets/secrets';
export type { Report } from './core/events';

// Formats of responses.
export { defineFormat } from './language/parts/format';
export type { FormatDefinition, FormatParts, KnownContentType } from './language/parts/format';
export { encoding } from './http/formats/options';
export { Unreadable } from './language/parts/errors';

// Functions.
export { defineFunction, EXAMPLE_NOW } from './language/expressions/functions/define';
export type {
  FunctionArgument,
  FunctionDefinition,
  FunctionExample,
  FunctionParts,
} from './language/expressions/functions/define';
export { scalarAt, textAt, textsAt, timestampAt } from './language/expressions/functions/define';
export type { Arguments } from './language/expressions/functions/define';
export { ScriptError } from './language/parts/errors';

// Sinks.
export { defineSink } from './language/parts/sink';
export type { SinkAddress, SinkContext, SinkDefinition, SinkOutline } from './language/parts/sink';
export { durableSink } from './sinks/durable';
export type { DestinationParts, LastReceipt, Publication } from './sinks/durable';
export { storeSink } from './sinks/stores/store';
export type { StoreSinkOptions, TableStore } from './sinks/stores/store';
export { sqlStore } from './sinks/stores/sql-store';
export { formatSink } from './sinks/files/format-sink';
export type { FileFormat, FormatSinkOptions } from './sinks/files/format-sink';
export type { CellDatabase, DeclaredColumn, OwnTable, SqlDatabase } from './sinks/stores/sql-store';
export type { SqlDialect } from './sinks/stores/merge';
export type { Cell, CellRows, CellWrite } from './sinks/stores/cells';
export type { TableWrite } from './sinks/loading/load-flat';
export type { CountedRows } from './sinks/row-counts';
export type { RunRecord } from './sinks/run-record';
export type { TableLink } from './tables/table';
export type { NamedTypes } from './tables/schema/changes';
export type { AlikeKeys, ColumnNames } from './tables/schema/column-names';
export type { ColumnType, DecimalType, NestedType, ScalarType } from './tables/schema/column-type';
export type { Column, KnownColumn } from './tables/schema/schema';
export { fileJournal } from './sinks/journal/file-journal';
export type { Journal, KeptPage, JournaledPage, JournaledPlace, Receipt, RunJournal } from './sinks/journal/journal';

// Middleware around requests.
export { defineMiddleware } from './language/parts/middleware';
export type { MiddlewareDefinition } from './language/parts/middleware';
export type { Middleware, Send } from './core/model';

// Options, and what all kinds share.
export { PartError } from './language/parts/errors';
export type { PartName } from './language/parts/errors';
export { flag, integer, integerFrom, list, numeric, object, oneOf, string, text } from './language/codec/primitives';
export type { Codec } from './language/codec/codec';
export { always, optional, required, requiredUnless, withDefault } from './language/codec/record';
export type { Field, Fields, RecordOf } from './language/codec/record';
export type { Documentation } from './language/codec/record';
export type {
  Component,
  ComponentManual,
  ExampleExchange,
  OptionFault,
  WorkedExample,
} from './language/codec/component';
export { andThen, collect, invalid, mapValid, valid } from './language/codec/codec';
export type { Checked } from './language/codec/codec';
export type { Finding, Path } from './language/codec/finding';
