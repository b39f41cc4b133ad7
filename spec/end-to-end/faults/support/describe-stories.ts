import type { Ending, Stage, Story, StoryGroup } from '../story';
import { useFastClock } from './clock';
import { PATIENCE_MS } from './describe-group';
import * as api from './healthy-api';
import { outcomeOf } from './outcome';
import type { Outcome } from './outcome';
import { startRawServer } from './raw-server';
import type { RawRequest, RawServer, Wire } from './raw-server';
import { whole } from './wire';

/** The answer of the API while nothing is wrong. */
export function healthyAnswer(request: RawRequest): Wire {
  const page = api.pageAsked(request);
  return whole(page === undefined ? api.LOGIN_BODY : api.bodyOfPage(page));
}

/** Specs for a group of stories. */
export function describeStories({ stories }: StoryGroup): void {
  let server: RawServer | undefined;
  const clock = useFastClock();
  afterEach(async () => {
    await server?.goAway();
    server = undefined;
  });
  const opened = (): RawServer => {
    if (server === undefined) throw new Error('There is no server yet.');
    return server;
  };

  async function play({ set }: Story, stage: Stage): Promise<Outcome> {
    const { answer = healthyAnswer, baseUrl, api: more = {}, options, ...listening } = await set(stage);
    server = await startRawServer(answer, listening);
    const scheme = listening.tls === undefined ? 'http' : 'https';
    const url = baseUrl?.() ?? `${scheme}://localhost:${server.port}`;
    return outcomeOf(api.configurationOf(url, { method: 'offset', limit: api.PAGE_SIZE }, more), options);
  }

  it.each(stories)(
    '$summary',
    async (story) => {
      const outcome = await play(story, { server: opened, clock });
      expectEnd(outcome, story.ends);
    },
    PATIENCE_MS,
  );
}

function expectEnd({ status, code, message, ids, pauses }: Outcome, ending: Ending): void {
  if (ending.kind === 'complete') {
    expect({ status, message, ids }).toEqual({ status: 0, message: undefined, ids: api.idsUpTo(api.TOTAL) });
    expect(pauses.length).toBeLessThanOrEqual(ending.mostRetries);
    return;
  }
  expect({ status, ids }).toEqual({ status: 1, ids: api.idsUpTo(ending.before) });
  expect(code).toMatch(/^[A-Z_]+$/);
  if (ending.codes.length > 0) expect(ending.codes).toContain(code);
}
