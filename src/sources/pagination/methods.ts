/** The pagination methods of the language, one line each. */
export { connection } from './connection';
export { cursor } from './cursor';
export { jinja } from './jinja';
export { keyset } from './keyset';
export { offset } from './offset';
export { pagenum } from './pagenum';
export { responseLink } from './response-link';
export { responseParam } from './response-param';
export { responseUrl } from './response-url';
export { zendeskResponseUrl } from './zendesk-response-url';
