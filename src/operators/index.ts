/** RxJS operators that know nothing of HTTP or of configurations; each can be used alone. */
export { createDemand } from './demand';
export type { Demand } from './demand';
export { longTimer } from './long-timer';
export { renewing, renewingEachTime } from './renewing';
export type { Renewing, RenewingOptions } from './renewing';
export { retryHinted } from './retry-hinted';
export type { Outcome, RetryHints } from './retry-hinted';
export { unfoldPages } from './unfold-pages';
export type { UnfoldOptions, Visit } from './unfold-pages';
export { untilAborted } from './until-aborted';
