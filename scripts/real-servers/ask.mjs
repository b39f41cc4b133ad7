import { URLSearchParams } from 'node:url';

/** Asks a server for JSON; any status that is no success ends all. */
export async function ask(url, { method = 'GET', headers = {}, body, accept = [] } = {}) {
  const json = body !== undefined && !(body instanceof URLSearchParams);
  const response = await fetch(url, {
    method,
    headers: json ? { 'content-type': 'application/json', ...headers } : headers,
    body: json ? JSON.stringify(body) : body,
  });
  const text = await response.text();
  if (!response.ok && !accept.includes(response.status))
    throw new Error(`${response.status} ${method} ${url}: ${text.slice(0, 300)}`);
  return text === '' ? undefined : JSON.parse(text);
}

export const secret = process.env.HEADWATER_REAL_SECRET;
export const email = process.env.HEADWATER_REAL_EMAIL;

export const range = (count) => Array.from({ length: count }, (_, index) => index);
