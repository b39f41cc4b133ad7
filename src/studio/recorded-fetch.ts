/** An API of which there is a recording alone. */
import type { RecordedAnswer } from '../index';
import { parseData } from '../json/parse';
import { stringifyJson } from '../json/stringify';

/**
 * Gives recorded answers to the requests that they belong to, whatever the order of their parameters; anything else is not found. It
 * never reaches the network.
 *
 * @example await recordedFetch(beginning.recorded ?? [])('https://h.example/ships')
 */
export function recordedFetch(answers: readonly RecordedAnswer[]): typeof globalThis.fetch {
  const byRequest = new Map(
    answers.map((answer) => [keyOf(answer.method, answer.url, answer.requestBody ?? ''), answer]),
  );
  return async (input, init) => {
    const request = new Request(input, init);
    const answer = byRequest.get(keyOf(request.method, request.url, await request.text()));
    if (answer === undefined)
      return new Response('{}', { status: 404, headers: { 'content-type': 'application/json' } });
    return new Response(answer.body, { status: statusOf(answer), headers: headersOf(answer) });
  };
}

/** Some successes have no body by their status, but this one was recorded with one. */
const statusOf = ({ status }: RecordedAnswer): number => (status === 204 || status === 205 ? 200 : status);

/** A recording may have what no header can be. */
function headersOf(answer: RecordedAnswer): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    try {
      headers.append(name, value);
    } catch {
      // It is left out.
    }
  }
  return headers;
}

function keyOf(method: string, url: string, body: string): string {
  const { origin, pathname, searchParams } = new URL(url);
  searchParams.sort();
  return JSON.stringify([method, origin, pathname, searchParams.toString(), plain(body)]);
}

/** JSON and forms are the same, since detection sends a form as JSON. */
function plain(body: string): string {
  if (body === '') return '';
  try {
    return stringifyJson(parseData(body));
  } catch {
    return stringifyJson(Object.fromEntries(new URLSearchParams(body)));
  }
}
