/** What was sent and received, as it may be shown. */
import type { HarEntry, HarHeader } from '../../run/recording/har';
import { cutText } from './bounded';
import type { ExchangePreview, RequestPreview, ResponsePreview } from './model';

/**
 * @param entry as a recording has it, without its secrets
 * @param most characters of bodies
 */
export function exchangeOf({ request, response, time }: HarEntry, most: number): ExchangePreview {
  const asked = requestOf(request, most);
  if (response.status === 0)
    return { request: asked, ...(response._error === undefined ? {} : { error: response._error }) };
  return { request: asked, response: responseOf(response, time, most) };
}

function requestOf({ method, url, headers, postData }: HarEntry['request'], most: number): RequestPreview {
  const body = postData === undefined ? {} : { body: cutText(postData.text, most) };
  return { method, url, headers: headersOf(headers), ...body };
}

function responseOf({ status, headers, content }: HarEntry['response'], time: number, most: number): ResponsePreview {
  const isText = content.encoding === undefined;
  return {
    status,
    headers: headersOf(headers),
    body: isText ? cutText(content.text, most) : '',
    bytes: content.size,
    milliseconds: time,
    isCut: !isText || content.text.length > most,
  };
}

/** Of several lines of one name, all count. */
function headersOf(headers: readonly HarHeader[]): Readonly<Record<string, string>> {
  const lines = new Map<string, string>();
  for (const { name, value } of headers) {
    const before = lines.get(name);
    lines.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(lines);
}
