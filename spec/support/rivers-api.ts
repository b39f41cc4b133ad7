/** An API that a run can be looked at with while it is under way. */
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const PAGE = 500;
const RIVERS = 3000;
const HELD_AT = 2000;

type Answer = readonly [status: number, value: unknown];

/** An API of rivers and gauges: it has a login, refuses one request, and waits at a page until it is released. */
export class RiversApi {
  private readonly waiting: (() => void)[] = [];
  private isReleased = false;
  private hasRefused = false;
  readonly server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://api');
    const send = ([status, value]: Answer): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' }).end(JSON.stringify(value));
    };
    const offset = Number(searchParams.get('offset') ?? 0);
    const answer = this.answerTo(pathname, offset);
    if (pathname === '/rivers' && offset >= HELD_AT && !this.isReleased) this.waiting.push(() => send(answer));
    else send(answer);
  });
  private answerTo(pathname: string, offset: number): Answer {
    if (pathname === '/token') return [200, { token: 'spec-token-1', expires_in: 3600 }];
    const [, kind, id, levels] = pathname.split('/');
    if (levels !== undefined)
      return Number(id) % 2 === 0 ? [404, { error: 'No gauge' }] : [200, { data: [{ level: 1 }, { level: 2 }] }];
    if (kind === 'rivers' && !this.hasRefused) {
      this.hasRefused = true;
      return [503, { error: 'Too busy' }];
    }
    const total = kind === 'rivers' ? RIVERS : 3;
    const data = Array.from({ length: Math.max(0, Math.min(PAGE, total - offset)) }, (_, at) => ({ id: offset + at }));
    return [200, { meta: { total }, data }];
  }
  readonly release = (): void => {
    this.isReleased = true;
    this.waiting.splice(0).forEach((answer) => answer());
  };
  async listen(): Promise<void> {
    await new Promise<void>((resolve) => void this.server.listen(0, '127.0.0.1', resolve));
  }
  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
  /** Writes a configuration of it, and tells its path. */
  async configurationIn(folder: string): Promise<string> {
    const { port } = this.server.address() as AddressInfo;
    const config = {
      api: {
        baseUrl: `http://127.0.0.1:${port}`,
        pagination: { method: 'offset', limit: PAGE },
        retryConfig: { maxRetries: 2 },
        http: { ignoreErrors: [404] },
        authentication: {
          type: 'login',
          loginRequest: { endpoint: 'token' },
          apiRequest: { headers: { 'X-Token': 'token' } },
          expires: { response: 'expires_in', relative: true },
        },
      },
      config: {
        jobs: [
          {
            endpoint: 'gauges',
            dataField: 'data',
            children: [
              { endpoint: 'gauges/{id}/levels', dataType: 'levels', dataField: 'data', placeholders: { id: 'id' } },
            ],
          },
          { endpoint: 'rivers', dataField: 'data' },
        ],
      },
    };
    const path = join(folder, 'rivers.json');
    await writeFile(path, JSON.stringify(config));
    return path;
  }
}
