/**
 * What an application needs to add parts to the language of configurations: `headwater/components`. What is defined here goes
 * into the option `components` of `extract`, `deliver` and `validate`.
 */
export { defineFormat } from './http/formats/define';
export type { ChosenFormat, FormatDefinition, FormatParts, KnownContentType } from './http/formats/define';
export { encoding } from './http/formats/encoding';
export { Unreadable } from './http/formats/unreadable';
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
export { definePagination } from './sources/pagination/define';
export type {
  ChosenPagination,
  PaginationDefinition,
  PaginationParts,
  ScrollRequest,
} from './sources/pagination/define';
export { goOn, stop } from './sources/pagination/paginator';
export type { Arrival, JobFacts, Next, Paginator, Step } from './sources/pagination/paginator';
export type { RequestChange } from './requests/change';
export { defineAuthentication } from './auth/define';
export type { AuthenticationDefinition, AuthenticationParts, CompileInput } from './auth/define';
export type { AuthenticationPlan, AuthenticationRuntime } from './auth/authentication';
export type { Surroundings } from './auth/surroundings';
export { perRequest } from './auth/per-request';
export { andThen, collect, invalid, mapValid, valid } from './codec/checked';
export type { Checked } from './codec/checked';
export { integerParam, withoutParam, withParams } from './sources/pagination/params';
export { exactValueAt, valueAt } from './json/path';
export type { Part } from './config/parts';
export type { ExampleExchange, OptionFault, WorkedExample } from './codec/component';
export type { Codec } from './codec/codec';
export type { Documentation } from './codec/documentation';
export { flag, integer, integerFrom, list, numeric, object, oneOf, string, text } from './codec/primitives';
export { always, optional, required, requiredUnless, withDefault } from './codec/record';
export type { Field, Fields, RecordOf } from './codec/record';
