/** Runs of a cluster in virtual time: their workflows decide as those of src/cluster do; workers, the queue and the server are events. */
import { fromSource } from './from-source.mjs';
import { COSTS, EVENTS, LIMITS, isFull } from './simulated-server.mjs';
import { createVirtualTime, randomFrom } from './virtual-time.mjs';

const { runFrom, partsOf, prepare } = await fromSource({
  'cluster/run-state': ['runFrom'],
  'run/deliver/parts': ['partsOf'],
  'run/validate': ['prepare'],
});

const PAGE = 1000;
/** As src/cluster has them: the options of activities, and how often pages are reported. */
const CALLS_OF_PART = 50;
const REPORT_EVERY_MS = 500;
const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;
/** For so long a workflow waits for the worker that made its last step. */
const PATIENCE_MS = 5000;
const SLOW_TIMES = 20;
const BIN_MS = 10_000;

/** The configuration of a tenant: partitions whose pages have children. */
const configurationOf = (partitions) => ({
  api: { baseUrl: 'https://api.test/', pagination: { method: 'offset', limit: PAGE } },
  config: {
    jobs: [
      {
        ...{ endpoint: 'rivers/{group}', dataField: 'items' },
        partitions: { group: Array.from({ length: partitions }, (_, at) => `group ${at}`) },
        children: [{ endpoint: 'rivers/{id}/levels', placeholders: { id: 'id' } }],
      },
    ],
  },
});

/**
 * Simulates runs until all are over.
 *
 * @param tenants the parts of each run, and how many it has made at once: `[{ parts: 10_000, atOnce: 100 }]`
 * @param dying the share of the workers that die when a third of the parts are made
 */
export function simulateRuns({ workers: many, slots, tenants, failing, slow, dying, latency, heartbeat, seed }) {
  const time = createVirtualTime();
  const random = randomFrom(seed);
  const queue = createQueue();
  const free = [];
  const workers = Array.from({ length: many }, () => ({ isAlive: true, tasks: new Set() }));
  for (let slot = 0; slot < slots; slot += 1) free.push(...workers);
  const total = tenants.reduce((sum, { parts }) => sum + parts, 0);
  // A worker reports every third of this time, of which Temporal's package sends the first one, and then one in four fifths of it.
  const firstMs = (heartbeat * 1000) / 3;
  const everyMs = heartbeat * 1000 * 0.8;
  const heartbeatsIn = (ms) => (ms < firstMs ? 0 : 1 + Math.floor((ms - firstMs) / everyMs));
  const momentOf = (number) => (number === 0 ? 0 : firstMs + (number - 1) * everyMs);
  const counts = { requests: 0, heartbeats: 0, calls: 0, repeated: 0, done: 0, failed: 0, longestQueue: 0 };
  const bins = [];
  const lost = [];
  let [diedAt, firstOver] = [undefined, undefined];
  let busyMs = 0;

  const binOf = (moment) => (bins[Math.floor(moment / BIN_MS)] ??= { requests: 0, heartbeats: 0 });
  const serve = (requests) => {
    counts.requests += requests;
    binOf(time.now()).requests += requests;
  };

  const dispatch = () => {
    while (free.length > 0) {
      const task = queue.take();
      if (task === undefined) return;
      const at = Math.floor(random() * free.length);
      const worker = free[at];
      free[at] = free.at(-1);
      free.pop();
      begin(task, worker);
    }
  };
  const enqueue = (task) => {
    if (task.isBack) return;
    task.isQueued = true;
    task.queuedAt = time.now();
    queue.add(task);
    counts.longestQueue = Math.max(counts.longestQueue, queue.length());
    dispatch();
  };

  const callMs = latency;
  const begin = (task, worker) => {
    const now = time.now();
    const { tenant } = task;
    task.isQueued = false;
    const waited = now - task.queuedAt;
    tenant.waitedMs += waited;
    tenant.longestWaitMs = Math.max(tenant.longestWaitMs, waited);
    tenant.begun += 1;
    if (task.lostAt !== undefined && task.againAt === undefined) task.againAt = now;
    task.worker = worker;
    task.startedAt = now;
    task.attempt += 1;
    worker.tasks.add(task);
    serve(1);
    task.fails = random() < 1 - (1 - failing) ** (task.calls / CALLS_OF_PART);
    const calls = task.fails ? Math.floor(task.calls / 2) : task.calls;
    const { attempt } = task;
    time.after(COSTS.partMs + calls * callMs * task.factor, () => {
      if (task.attempt === attempt && worker.tasks.has(task)) end(task, calls);
    });
    if (task.isReader) report(task, attempt);
  };
  /** A reader tells of its pages while it goes on. */
  const report = (task, attempt) =>
    time.after(REPORT_EVERY_MS, () => {
      if (task.attempt !== attempt || !task.worker.tasks.has(task)) return;
      signal(task, task.read + madeCalls(task));
      report(task, attempt);
    });
  const signal = ({ tenant, ...task }, read) => {
    if (read === task.reported) return;
    const pages = pagesOf(task.part, 0, read);
    serve(1);
    tenant.events += EVENTS.signal;
    tenant.bytes += COSTS.eventBytes + JSON.stringify(pages).length;
    tell(tenant, () => tenant.run.found(pages));
  };
  const madeCalls = ({ startedAt, factor, calls }) =>
    Math.max(0, Math.min(calls, Math.floor((time.now() - startedAt - COSTS.partMs) / (callMs * factor))));
  /** A slot has no task any more: this many calls were made. */
  const leave = (task, calls) => {
    const { worker, startedAt } = task;
    const tookMs = time.now() - startedAt;
    busyMs += tookMs;
    worker.tasks.delete(task);
    task.calls -= calls;
    if (task.isReader) task.read += calls;
    counts.calls += calls;
    const heartbeats = heartbeatsIn(tookMs);
    counts.heartbeats += heartbeats;
    binOf(time.now()).heartbeats += heartbeats;
    serve(heartbeats);
  };
  const end = (task, calls) => {
    leave(task, calls);
    free.push(task.worker);
    serve(1);
    if (task.fails) {
      counts.failed += 1;
      time.after(Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** (task.attempt - 1)), () => enqueue(task));
    } else finish(task);
    dispatch();
  };
  const finish = (task) => {
    const { tenant, part, isReader } = task;
    const parents = isReader ? pagesOf(part, 0, task.read) : [];
    const amounts = { pages: isReader ? task.read : PAGE / part.share.of, items: 0, requests: 1 };
    const made = { ...amounts, retries: 0, logins: 0, parents: isReader ? [] : parents, warnings: [] };
    tenant.events += EVENTS.ended;
    tenant.bytes += 2 * COSTS.eventBytes + sizeOf(made);
    if (isReader) tenant.isRead[part.share.at] += 1;
    else for (const number of fiftiesOf(tenant, part)) tenant.isMade[number] += 1;
    const now = time.now();
    tenant.longestStillMs = Math.max(tenant.longestStillMs, now - tenant.lastEnd);
    tenant.lastEnd = now;
    tenant.done += 1;
    counts.done += 1;
    tenant.tasks.delete(task);
    tell(tenant, () => tenant.run.ended({ ...made, parents }, part));
    if (dying > 0 && diedAt === undefined && counts.calls >= (total * CALLS_OF_PART) / 3) killSome();
  };

  const killSome = () => {
    diedAt = time.now();
    for (const worker of workers.slice(0, Math.floor(many * dying))) {
      worker.isAlive = false;
      for (const task of [...worker.tasks]) {
        // What is under way is requested again.
        counts.repeated += 1;
        const seenMs = momentOf(heartbeatsIn(diedAt - task.startedAt));
        leave(task, madeCalls(task));
        task.lostAt ??= diedAt;
        lost.push(task);
        time.at(task.startedAt + seenMs + heartbeat * 1000 + RETRY_MS, () => enqueue(task));
      }
    }
    free.splice(0, free.length, ...free.filter(({ isAlive }) => isAlive));
    dispatch();
  };

  /** A workflow has something to do, which it does together with what else comes until then. */
  const tell = (tenant, work) => {
    tenant.told.push(work);
    if (tenant.told.length > 1) return;
    const isDead = !tenant.worker.isAlive;
    if (isDead) tenant.worker = anyWorker();
    time.after(COSTS.workflowTaskMs + (isDead ? PATIENCE_MS : 0), () => step(tenant));
  };
  const anyWorker = () => {
    for (;;) {
      const worker = workers[Math.floor(random() * many)];
      if (worker.isAlive) return worker;
    }
  };
  const step = (tenant) => {
    const { told } = tenant;
    tenant.told = [];
    tenant.events += EVENTS.step;
    tenant.bytes += EVENTS.step * COSTS.eventBytes;
    serve(2);
    const full = isFull(tenant);
    for (const work of told) work();
    while (!tenant.isStopping && tenant.run.isDue(full)) {
      const part = tenant.run.next(full);
      if (part === undefined) stop(tenant);
      else schedule(tenant, part);
    }
    if (tenant.isStopping && tenant.run.isIdle()) leaveExecution(tenant);
  };
  /** How many times slower than usual the answers of a part are: each fifty calls may be slow. */
  const factorFor = (part) => {
    const fifties = part.kind === 'job' ? 1 : PAGE / part.share.of / CALLS_OF_PART;
    let sum = 0;
    for (let left = fifties; left > 0; left -= 1) sum += random() < slow ? SLOW_TIMES : 1;
    return sum / fifties;
  };
  const schedule = (tenant, part) => {
    tenant.events += EVENTS.scheduled;
    tenant.bytes += COSTS.eventBytes + tenant.run.argumentsOf(part).reduce((sum, each) => sum + sizeOf(each), 0);
    const isReader = part.kind === 'job';
    // A part that was handed back goes on where it was.
    const before = tenant.leftOf.get(part);
    tenant.leftOf.delete(part);
    const begun = before ?? { calls: isReader ? tenant.pages : PAGE / part.share.of, read: 0, factor: factorFor(part) };
    const { calls, read, factor } = begun;
    const task = { tenant, part, isReader, calls, read, factor, attempt: 0, reported: read };
    tenant.tasks.add(task);
    tenant.mostPending = Math.max(tenant.mostPending, tenant.tasks.size);
    enqueue(task);
  };
  const stop = (tenant) => {
    tenant.isStopping = true;
    tenant.stoppedAt = time.now();
    for (const task of tenant.tasks) giveBack(task);
    dispatch();
  };
  const giveBack = (task) => {
    const { tenant, worker, part } = task;
    if (worker?.tasks.has(task)) {
      leave(task, madeCalls(task));
      counts.repeated += 1;
      free.push(worker);
    } else if (task.isQueued) queue.remove(task);
    task.isBack = true;
    tenant.tasks.delete(task);
    tenant.leftOf.set(part, task);
    tenant.events += 1;
    tenant.run.givenBack(part);
  };
  const leaveExecution = (tenant) => {
    const left = tenant.run.left();
    tenant.stillMs += time.now() - tenant.stoppedAt;
    tenant.executions += 1;
    tenant.allEvents += tenant.events;
    if (left === undefined) {
      tenant.overAt = time.now();
      firstOver ??= { at: tenant.overAt, busyMs, shares: runs.map(({ done, atOnce }) => done / atOnce) };
      return;
    }
    const bytes = stateSize(tenant, left);
    tenant.largestState = Math.max(tenant.largestState, bytes);
    tenant.events = 1;
    tenant.bytes = COSTS.eventBytes + bytes;
    tenant.isStopping = false;
    const { from, ...given } = left;
    tenant.run = runFrom(given, from);
    tell(tenant, () => undefined);
  };

  const runs = tenants.map((tenant, at) => tenantFrom(tenant, at, workers[at % many]));
  for (const tenant of runs) tell(tenant, () => tenant.run.begin(tenant.begunWith));
  time.run();
  check(runs);
  return { runs, counts, bins, lost, diedAt, firstOver, busyMs, endedAt: time.now(), slots: many * slots };
}

/** A run, and what is known of it from outside. */
function tenantFrom({ parts, atOnce }, at, worker) {
  const perPage = PAGE / CALLS_OF_PART;
  const partitions = Math.max(2, Math.min(500, Math.ceil(parts / perPage)));
  const pages = Math.max(1, Math.round(parts / perPage / partitions));
  const { iterations } = prepare(configurationOf(partitions), {}).planned;
  const first = partsOf(iterations, { currentStart: 1_700_000_000, previousStart: 0 });
  const input = {
    ...{ runId: `run ${at}`, configuration: 'rivers.json', destination: 'postgres://db/rivers', parts: atOnce },
    // As many characters as the sealed configuration of the measured run.
    ...{ heartbeatSeconds: 30, sealed: 'x'.repeat(700) },
  };
  const manifest = { id: input.runId, startedAt: 1_700_000_000, outputs: 'x'.repeat(300) };
  return {
    ...{ atOnce, partitions, pages, perPage, worker, input },
    begunWith: { isOver: false, manifest, state: '', parts: first },
    run: runFrom(input),
    ...{ told: [], tasks: new Set(), leftOf: new Map(), isStopping: false },
    ...{
      events: 1,
      bytes: COSTS.eventBytes + sizeOf(input),
      executions: 0,
      allEvents: 0,
      largestState: 0,
      mostPending: 0,
    },
    ...{ waitedMs: 0, longestWaitMs: 0, begun: 0, done: 0, lastEnd: 0, longestStillMs: 0, stillMs: 0 },
    isRead: new Uint8Array(partitions),
    isMade: new Uint8Array(partitions * pages * perPage),
  };
}

const pagesOf = ({ call, share }, from, to) =>
  Array.from({ length: to - from }, (_, at) => ({ call: [...call, 0, share.at], page: from + at, items: PAGE }));

/** The fifties of the items of its page that a part has. */
const fiftiesOf = ({ pages, perPage }, { call, page, share: { at, of } }) =>
  Array.from({ length: perPage / of }, (_, step) => (call.at(-1) * pages + page) * perPage + at + step * of);

/** Throws where a part was made twice, or never. */
function check(tenants) {
  for (const { isRead, isMade, overAt, mostPending } of tenants) {
    if (overAt === undefined) throw new Error('A run did not end.');
    if (!isRead.every((times) => times === 1) || !isMade.every((times) => times === 1))
      throw new Error('A part was not made exactly once.');
    if (mostPending > LIMITS.pendingActivities) throw new Error(`${mostPending} parts at once are refused.`);
  }
}

/** First in, first out; tasks are taken out of it seldom. */
function createQueue() {
  let tasks = [];
  let first = 0;
  const removed = new Set();
  const length = () => tasks.length - first - removed.size;
  return {
    length,
    add: (task) => tasks.push(task),
    remove: (task) => removed.add(task),
    take: () => {
      while (first < tasks.length) {
        const task = tasks[first];
        first += 1;
        if (first > 10_000 && first > tasks.length / 2) {
          tasks = tasks.slice(first);
          first = 0;
        }
        if (!removed.delete(task)) return task;
      }
      return undefined;
    },
  };
}

const sizes = new WeakMap();
/** The bytes of a value in JSON. What stands in many inputs is written once. */
function sizeOf(value) {
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const size = JSON.stringify(value).length;
  sizes.set(value, size);
  return size;
}

/** The bytes of the input of the next execution; where it has nearly as many pages as one that was written, by their number. */
function stateSize(tenant, left) {
  const count = left.from.parents.length + left.from.parts.length;
  const { measured } = tenant;
  const isNear = measured !== undefined && Math.abs(count - measured.count) < 0.05 * measured.count;
  if (!isNear) tenant.measured = { count, bytes: JSON.stringify(left).length };
  return isNear ? (measured.bytes * count) / measured.count : tenant.measured.bytes;
}
