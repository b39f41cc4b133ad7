/**
 * What an application needs to add parts to the language of configurations: `headwater/components`. What is defined here goes
 * into the option `components` of `extract`, `deliver` and `validate`.
 */

// Pagination methods.
export { definePagination } from './sources/pagination/define';
export type { PaginationDefinition, PaginationParts, ScrollRequest } from './sources/pagination/define';
export { goOn, stop } from './sources/pagination/paginator';
export type { Arrival, JobFacts, Next, Paginator, Step } from './sources/pagination/paginator';
export { integerParam, withoutParam, withParams } from './sources/pagination/params';
export { place } from './sources/pagination/place';
export type { Place } from './sources/pagination/place';
export { placed } from './sources/pagination/placed';
export type { Placement } from './sources/pagination/placed';
export type { RequestChange } from './requests/change';
export { exactValueAt, valueAt } from './json/path';

// Types of authentication.
export { defineAuthentication } from './auth/define';
export type { AuthenticationDefinition, AuthenticationManual, AuthenticationParts, CompileInput } from './auth/define';
export type { AuthenticationPlace, AuthenticationPlan, AuthenticationRuntime } from './auth/authentication';
export type { OauthCredentials, Surroundings } from './auth/surroundings';
export { perRequest } from './auth/per-request';
export type { Credentials, CredentialSource, SendTimed, TimedResponse } from './model';
export type { Secrets } from './secrets';
export type { Report } from './events';

// Formats of responses.
export { defineFormat } from './http/formats/define';
export type { FormatDefinition, FormatParts, KnownContentType } from './http/formats/define';
export { encoding } from './http/formats/encoding';
export { Unreadable } from './http/formats/unreadable';

// Functions.
export { defineFunction, EXAMPLE_NOW } from './expressions/functions/define';
export type {
  FunctionArgument,
  FunctionDefinition,
  FunctionExample,
  FunctionParts,
} from './expressions/functions/define';
export { scalarAt, textAt, textsAt, timestampAt } from './expressions/functions/arguments';
export type { Arguments } from './expressions/functions/arguments';
export { ScriptError } from './expressions/script-error';

// Sinks.
export { defineSink } from './sinks/define-sink';
export type { SinkAddress, SinkContext, SinkDefinition, SinkOutline } from './sinks/define-sink';
export { durableSink } from './sinks/durable';
export type { DestinationParts, LastReceipt, Publication } from './sinks/durable';
export { fileJournal } from './sinks/journal/file-journal';
export type { Journal, JournaledPage, JournaledPlace, Receipt, RunJournal } from './sinks/journal/journal';

// Middleware around requests.
export { defineMiddleware } from './http/middleware/define';
export type { MiddlewareDefinition } from './http/middleware/define';
export type { Middleware, Send } from './model';

// Options, and what all kinds have in common.
export { flag, integer, integerFrom, list, numeric, object, oneOf, string, text } from './codec/primitives';
export type { Codec } from './codec/codec';
export { always, optional, required, requiredUnless, withDefault } from './codec/record';
export type { Field, Fields, RecordOf } from './codec/record';
export type { Documentation } from './codec/documentation';
export type { Component, ComponentManual, ExampleExchange, OptionFault, WorkedExample } from './codec/component';
export { andThen, collect, invalid, mapValid, valid } from './codec/checked';
export type { Checked } from './codec/checked';
export type { Finding, Path } from './codec/finding';
