import { FatalError } from '../../core/errors/errors';
import { printable } from './printable';

const DESCRIPTION =
  /(?:href|src|url)\s*[=:]\s*["']([^"'<>\s]{1,300}(?:openapi|swagger|api-docs)[^"'<>\s]{0,100}\.(?:json|ya?ml)|[^"'<>\s]{1,300}\/(?:api-docs|openapi\.json|swagger\.json))["']/i;

/** The failure of a request that gave a web page: it names the description of an API that the page links to. */
export function webPage(html: string, url: string): FatalError {
  const link = DESCRIPTION.exec(html)?.[1];
  const hint =
    link === undefined || !URL.canParse(link, url)
      ? ' Look for the API in the manual of the site, or copy the request of the page for its data as curl from the tools of the browser.'
      : ` It names a description of the API: headwater init ${printable(new URL(link, url).href)}`;
  return new FatalError('API_NOT_JSON', `This is a web page, not data.${hint}`);
}
