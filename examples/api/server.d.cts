export interface ServerOptions {
  readonly port?: number;
  readonly tokenSeconds?: number;
  readonly token?: string;
  readonly limitEvery?: number;
  readonly retryAfter?: string;
  readonly log?: (line: string) => void;
}

/** What the API has counted so far. */
export interface ServerStats {
  readonly logins: number;
  /** Requests for data, answered or not. */
  readonly requests: number;
  /** Answered with a page. */
  readonly pages: number;
  /** Refused for want of a valid token. */
  readonly refused: number;
  /** Answered with status 429. */
  readonly limited: number;
}

export interface RunningServer {
  readonly origin: string;
  readonly stats: ServerStats;
  /** How many connections are open now. */
  readonly connections: () => Promise<number>;
  readonly close: () => Promise<void>;
}

export function startServer(options?: ServerOptions): Promise<RunningServer>;
