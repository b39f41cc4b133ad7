import type { Observable } from 'rxjs';
import { tunedRequests } from '../../http/rates/request-tuning';
import type { RequestTuning } from '../../http/rates/request-tuning';
import { createTuner, integerOf } from '../tuning/tunable';
import type { Tunable } from '../tuning/tunable';
import { requestSetters } from '../tuning/tuning';
import type { RequestSettings } from '../tuning/tuning';

/** What can be changed of the requests of all extractions of a client together. */
export interface ClientTuneSettings extends RequestSettings {
  /**
   * How many requests are in flight at once: an integer from 1, `Infinity`, or `auto`: as many as the API takes
   * (docs/extensions/flow.md#as-many-as-the-api-takes).
   */
  readonly concurrency?: Tunable<number | 'auto'> | undefined;
}

/** The settings of one client. */
export interface ClientTuning {
  readonly requests: RequestTuning;
  /** @throws RangeError for a setting that there is not, or whose value cannot be */
  readonly tune: (settings: ClientTuneSettings) => void;
  /** Listens to the Observables among the settings; fails with their errors. */
  readonly values$: Observable<never>;
}

/** @example tuneClient().tune({ concurrency: 10, rate: 5 }) */
export function tuneClient(): ClientTuning {
  const requests = tunedRequests();
  const { tune, values$ } = createTuner(
    {
      concurrency: {
        set: (value) => {
          const isFree = value === 'auto' || value === Infinity;
          requests.cap(isFree ? value : integerOf('concurrency', 1, value, ', Infinity or "auto"'));
        },
      },
      ...requestSetters(() => requests),
    },
    (job) => {
      if (job !== undefined) throw new RangeError('tune: a client has no jobs: tune the extraction that has the job');
    },
  );
  return {
    tune,
    values$,
    requests: { isActive: requests.isSet, rulesOf: () => requests.rules(), priorityOf: () => undefined },
  };
}
