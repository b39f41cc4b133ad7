/** Recordings as browsers save them. */

interface More {
  readonly status?: number;
  readonly type?: string;
  readonly post?: string;
  readonly base64?: boolean;
  /** Of the request. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function entry(url: string, body: unknown, more: More = {}): object {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { status = 200, type = 'application/json', post, base64 = false, headers = {} } = more;
  return {
    startedDateTime: '2024-01-01T00:00:00Z',
    request: {
      ...{ method: post === undefined ? 'GET' : 'POST', url },
      headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
      ...(post === undefined ? {} : { postData: { mimeType: 'application/json', text: post } }),
    },
    response: {
      status,
      headers: [{ name: 'Content-Type', value: type }],
      content: base64
        ? { mimeType: type, text: Buffer.from(text).toString('base64'), encoding: 'base64' }
        : { mimeType: type, text },
    },
  };
}

export const har = (...entries: readonly object[]): string => JSON.stringify({ log: { version: '1.2', entries } });
