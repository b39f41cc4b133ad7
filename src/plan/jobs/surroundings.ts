import type { Parts } from '../../language/parts/parts';
import type { Api, Settings } from '../../language/configuration/configuration';
import type { Scope } from '../../language/expressions/expression';
import type { Headers } from '../../core/model';
import type { CallHeaders } from './call-headers';
import type { DefaultParams } from '../default-params';
import type { RunTimes } from '../plan';
import type { TableNames } from '../table-names';

/** What all jobs of a run have in common. */
export interface JobSurroundings {
  /** The parts that the configuration may name. */
  readonly parts: Pick<Parts, 'pagination'>;
  /** The name of the iteration; empty: it is the only one. */
  readonly iteration: string;
  readonly api: Api;
  readonly settings: Settings;
  readonly baseUrl: string;
  /** Headers of every API request, by lower-case name (docs/language/requests.md#headers, layers 1 and 2). */
  readonly headers: Headers;
  readonly defaults: Defaults;
  readonly scope: Scope;
  /** The names of tables by dataType. */
  readonly tables: TableNames;
}

/** `api.http.defaultOptions` (docs/language/requests.md#default-parameters). */
export interface Defaults {
  readonly headers: (times: RunTimes) => CallHeaders;
  readonly params: (times: RunTimes) => DefaultParams;
}
