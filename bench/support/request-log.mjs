import { milliseconds } from './clock.mjs';

/** Counts what a server is asked. All times are milliseconds of the clock that the processes of a machine share. */
export function requestLog() {
  const seen = { requests: { page: 0, beyond: 0, child: 0, parents: 0 }, maxInFlight: 0, aborted: 0 };
  const times = { first: {}, last: {}, pagesAnswered: [] };
  const open = new Map();
  const cpuBefore = process.cpuUsage();
  let served = 0;
  let waited = 0;

  function begin(response, kind) {
    const at = milliseconds();
    seen.requests[kind] += 1;
    times.first[kind] ??= at;
    open.set(response, { kind, at });
    seen.maxInFlight = Math.max(seen.maxInFlight, open.size);
    response.on('close', () => {
      open.delete(response);
      if (response.writableFinished) times.last[kind] = milliseconds();
      else seen.aborted += 1;
    });
  }

  /** Called just before an answer leaves. */
  function answered(response) {
    const request = open.get(response);
    if (request === undefined) return;
    const now = milliseconds();
    served += 1;
    waited += now - request.at;
    if (request.kind === 'page') times.pagesAnswered.push(now);
  }

  /** `latency`: how long an answer was really held back, on average. `cpu`: what the server itself used, in seconds. */
  const stats = () => {
    const { user, system } = process.cpuUsage(cpuBefore);
    return { ...seen, ...times, latency: served === 0 ? 0 : waited / served, cpu: (user + system) / 1e6 };
  };

  return { begin, answered, stats };
}
