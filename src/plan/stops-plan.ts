import type { Stops } from '../language/configuration/pagination/pagination';

/** Common stops (docs/language/stops.md) that stand side by side in the configuration. */
export interface StopsPlan extends Omit<Stops, 'forceStop'> {
  readonly forceStop?: {
    readonly pages?: number;
    /** What is said when so many pages have come; absent: that their limit is reached. */
    readonly because?: string;
    /** Since the first request of the job run. */
    readonly seconds?: number;
    /** The most bytes of responses. */
    readonly volume?: number;
  };
}
