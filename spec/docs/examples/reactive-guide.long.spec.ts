/** docs/library/reactive.md: each diagram is drawn from what the code above it does, in virtual time. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import * as rxjs from 'rxjs';
import * as headwater from '../../../src';
import * as operators from '../../../src/operators';
import { scriptedApi, virtualTime } from '../../../src/testing';
import type { ScriptedRequest } from '../../../src/testing';
import { fencesOf } from '../../support/page-examples';
import { timeline } from '../../support/timeline';

const FRAME = 10;

const MODULES: Readonly<Record<string, unknown>> = { rxjs, headwater, 'headwater/operators': operators };

/** Sections of the page: code, and the diagram below it. */
const sections = fencesOf(readFileSync(join(__dirname, '../../../docs/library/reactive.md'), 'utf8'));
const drawn = sections.flatMap((fence, at) => {
  const code = sections[at - 1];
  return fence.info === 'text marbles' && code?.info === 'js'
    ? [{ title: fence.heading, code: code.text, diagram: fence.text }]
    : [];
});

/** The letter of a request: the page, or what stands last in the path. */
function letterOf(url: URL): string {
  const last = url.pathname.split('/').at(-1) ?? '';
  return url.searchParams.get('page') ?? (last === 'stations' ? 's' : last.endsWith('login') ? 'L' : last.charAt(0));
}

/** The world of the page: an API that answers after 30 ms, with a diagram of what it is asked. */
function world() {
  const time = virtualTime();
  const { mark, draw } = timeline(time.elapsed, FRAME);
  const stations = [1, 2, 3, 4, 5].map((id) => ({ id }));
  let logins = 0;
  const paged = ({ url }: ScriptedRequest) => {
    const page = Number(url.searchParams.get('page'));
    return { json: stations.slice((page - 1) * 2, page * 2), after: 30 };
  };
  const api = scriptedApi(
    [
      { path: '/stations', answer: paged },
      { path: '/rivers', answer: { json: ['a', 'b', 'c'].map((id) => ({ id })), after: 10 } },
      { path: '/levels/a', answer: { json: [{ cm: 1 }], after: 60 } },
      { path: '/levels/b', answer: { json: [{ cm: 2 }], after: 20 } },
      { path: '/levels/c', answer: { json: [{ cm: 3 }], after: 40 } },
      {
        method: 'POST',
        path: '/failing-login',
        answer: () =>
          (logins += 1) === 2 ? { status: 403, after: 10 } : { json: { token: 't', lives: 100 }, after: 10 },
      },
      { method: 'POST', path: '/login', answer: { json: { token: 't', lives: 100 }, after: 10 } },
    ],
    time,
  );
  const watched: typeof fetch = async (input, init) => {
    const letter = letterOf(new URL(input instanceof Request ? input.url : input));
    mark('requests', letter);
    let isUnderWay = true;
    init?.signal?.addEventListener('abort', () => {
      if (isUnderWay) mark('broken off', letter);
    });
    const response = await api.fetch(input, init);
    isUnderWay = false;
    mark('answers', letter);
    return response;
  };
  const config = (jobs: readonly object[], more: object = {}) => ({
    api: {
      baseUrl: 'https://api.example/',
      pagination: { method: 'multiple', scrollers: { pages: { method: 'pagenum', limit: 2 } } },
      ...more,
    },
    config: { jobs },
  });
  const options = { fetch: watched, scheduler: time.scheduler };
  return { time, mark, draw, config, options };
}

/** Until nothing waits any more. */
async function settled(elapsed: () => number): Promise<void> {
  for (let quiet = 0, last = -1; quiet < 60; quiet += 1) {
    if (elapsed() !== last) quiet = 0;
    last = elapsed();
    await turn();
  }
}

describe('docs/library/reactive.md', () => {
  it('has diagrams', () => expect(drawn.length).toBeGreaterThanOrEqual(6));

  it.each(drawn)('$title: the diagram is what the code does', async ({ code, diagram }) => {
    const { time, mark, draw, config, options } = world();
    const stations = config([{ id: 'stations', endpoint: 'stations', scroller: 'pages' }]);
    const given = { stations, config, options, show: mark, time };
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the code of a document of this project
    const run = new Function('require', ...Object.keys(given), code) as (...values: unknown[]) => void;
    run((name: string) => MODULES[name], ...Object.values(given));
    await settled(time.elapsed);
    const lines = diagram.split('\n').map((line) => line.split('  ')[0] ?? '');
    expect(draw(lines)).toBe(diagram);
  });
});
