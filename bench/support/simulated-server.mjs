/**
 * What stands in for Temporal in bench/cluster-simulation.mjs, and what things cost there. The times are medians of what the parts of
 * Headwater took with Temporal 1.30.4 and PostgreSQL on two processors: two workers of four slots, 2,000 children after 50 ms.
 */
export const COSTS = {
  /** A part beside its calls: 2,748 ms for fifty calls, which wait for 2,500 ms. */
  partMs: 248,
  /** From the moment that a workflow has something to do until it is done. */
  workflowTaskMs: 30,
  /** A step of a session in which it answers some updates: 90 a second one by one, 360 a second ten at once. */
  updatesMs: (count) => 9 + 1.8 * count,
  /** An event of a history beside its payloads. */
  eventBytes: 210,
};

/** The defaults of Temporal 1.30.4 (common/dynamicconfig/constants.go). */
export const LIMITS = {
  /** From so many events, or bytes, or updates on an execution is to be continued as a new one. */
  events: 4096,
  bytes: 4 * 2 ** 20,
  updates: 1800,
  /** A payload that is larger is refused. */
  payloadBytes: 2 * 2 ** 20,
  pendingActivities: 2000,
  updatesAtOnce: 10,
  /** Of one frontend. */
  requestsPerSecond: 2400,
};

/** Events that are written for a step of a workflow, an activity and an update. */
export const EVENTS = { step: 3, scheduled: 1, ended: 2, signal: 1, update: 2 };

export const isFull = ({ events, bytes = 0, updates = 0 }) =>
  events >= LIMITS.events || bytes >= LIMITS.bytes || updates >= LIMITS.updates;
