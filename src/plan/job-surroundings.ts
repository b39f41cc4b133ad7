import type { Api, Settings } from '../config/configuration';
import type { Contexts } from '../expressions/expression';
import type { Headers } from '../model';

/** What all jobs of a run have in common. */
export interface JobSurroundings {
  readonly api: Api;
  readonly settings: Settings;
  readonly baseUrl: string;
  /** Headers of every API request, by lower-case name (language 2.5, layers 1 to 3). */
  readonly headers: Headers;
  readonly contexts: Contexts;
}
