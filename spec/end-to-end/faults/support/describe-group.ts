/** Makes specs of rows of the matrix: each is run against a server that misbehaves as the row says. */
import { someOf } from '../../../support/cases';
import { PLACES, verdictAt } from '../fault';
import type { Fault, FaultGroup, Place, Verdict } from '../fault';
import { useFastClock } from './clock';
import * as api from './healthy-api';
import { outcomeOf } from './outcome';
import type { Outcome } from './outcome';
import { startRawServer } from './raw-server';
import type { RawRequest, RawServer, Wire } from './raw-server';
import { whole } from './wire';

interface Scene {
  readonly fault: Fault;
  readonly place: Place;
  readonly paging: string;
  /** The fault ends after it has happened once. */
  readonly passes: boolean;
}

/** Redirects of a row lead to addresses of this kind, which are answered by the row. */
const isOfTheRow = (target: string): boolean => target.startsWith('/moved');

/** Runs a scene; the server is closed by whoever opened it. */
async function play(scene: Scene, opened: (server: RawServer) => void): Promise<Outcome> {
  const { fault, place, paging, passes } = scene;
  let happened = 0;
  const answer = (request: RawRequest): Wire => {
    const page = api.pageAsked(request);
    const isHere =
      isOfTheRow(request.target) ||
      (place === 'login' ? page === undefined : page === (place === 'first' ? 0 : api.MIDDLE));
    const body = bodyFor(isOfTheRow(request.target) ? place : page);
    if (!isHere || (passes && happened > 0 && !isOfTheRow(request.target))) return whole(body);
    happened += 1;
    return fault.wire({ request, body, port: server.port });
  };
  const server = await startRawServer(answer);
  opened(server);
  const authentication = place === 'login' ? { authentication: api.AUTHENTICATION } : {};
  const config = api.configurationOf(`http://localhost:${server.port}`, api.PAGINGS[paging] ?? {}, {
    ...authentication,
    ...(fault.slow === true ? { retryConfig: { maxRetries: retriesOf(fault), firstConnection: 0 } } : {}),
    ...fault.api,
  });
  const outcome = await outcomeOf(config);
  expect(happened).toBeGreaterThan(0);
  return outcome;
}

function bodyFor(asked: Place | number | undefined): string {
  if (asked === undefined || asked === 'login') return api.LOGIN_BODY;
  return api.bodyOfPage(asked === 'first' ? 0 : asked === 'middle' ? api.MIDDLE : asked);
}

const before = (place: Place): readonly number[] => api.idsUpTo(place === 'middle' ? api.MIDDLE * api.PAGE_SIZE : 0);
const EVERYTHING = { status: 0, ids: api.idsUpTo(api.TOTAL) };

const retriesOf = ({ slow }: Fault): number => (slow === true ? 1 : api.MAX_RETRIES);

interface Expected {
  readonly status: number;
  readonly code?: string;
  readonly ids: readonly number[];
  /** A warning among others. */
  readonly warning?: string;
  readonly leastRetries: number;
  readonly mostRetries: number;
}

/** What the command must end with, and how often it must have tried. */
function expected(verdict: Verdict, { fault, place, passes }: Scene): Expected {
  const tried = (least: number, most = least) => ({ leastRetries: least, mostRetries: most });
  switch (verdict.kind) {
    case 'harmless':
      return { ...EVERYTHING, ...tried(0, verdict.mayRepeat ? TOTAL_REPEATS : 0) };
    case 'retried':
      return passes
        ? { ...EVERYTHING, ...tried(1) }
        : { status: 1, code: verdict.code, ids: before(place), ...tried(retriesOf(fault)) };
    case 'followed':
      return passes
        ? { ...EVERYTHING, ...tried(0) }
        : { status: 1, code: verdict.code, ids: before(place), ...tried(0) };
    case 'refused':
      return { status: 1, code: verdict.code, ids: before(place), ...tried(0) };
    case 'doubtful':
      return { status: 0, ids: before(place), warning: verdict.code, ...tried(0) };
    case 'ends':
      return { status: 0, ids: before(place), ...tried(0) };
  }
}
/** One for each connection of a run. */
const TOTAL_REPEATS = 4;

const scenesOf = (fault: Fault, all: boolean): readonly Scene[] =>
  (fault.places ?? PLACES).flatMap((place) => {
    const pagings = all && place === 'middle' && fault.slow !== true ? Object.keys(api.PAGINGS) : ['offset'];
    return pagings.flatMap((paging) => [true, false].map((passes) => ({ fault, place, paging, passes })));
  });

/** Longer than a run may take before it counts as one that hangs. */
export const PATIENCE_MS = 20_000;

/** Specs for a group: every fault, at every place, once and for ever; every third fault without HEADWATER_CASES=all. */
export function describeGroup({ title, faults, pagings }: FaultGroup): void {
  let server: RawServer | undefined;
  afterEach(async () => {
    await server?.goAway();
    server = undefined;
  });
  useFastClock();
  describe.each(someOf(faults, 3))(`${title}: the server $does`, (fault) => {
    it.each(scenesOf(fault, pagings === 'all'))(
      '$place, $paging, passes: $passes',
      async (scene) => {
        const outcome = await play(scene, (opened) => (server = opened));
        const { leastRetries, mostRetries, warning, ...end } = expected(verdictAt(fault, scene.place), scene);
        const { status, code, ids, pauses } = outcome;
        expect({ status, code, ids }).toEqual({ code: undefined, ...end });
        if (warning !== undefined) expect(outcome.warnings).toContain(warning);
        expect(pauses.length).toBeGreaterThanOrEqual(leastRetries);
        expect(pauses.length).toBeLessThanOrEqual(mostRetries);
      },
      PATIENCE_MS,
    );
  });
}
