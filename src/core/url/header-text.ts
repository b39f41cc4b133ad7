/** A token (RFC 9110). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 9110: visible ASCII, space, tab, and the bytes above it. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const OF_THE_CONNECTION = ['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade'];

/** Whether HTTP allows the name of a header. */
export const isHeaderName = (name: string): boolean => NAME.test(name);

/** Whether HTTP can carry the string as the value of a header. */
export const isHeaderValue = (text: string): boolean => VALUE.test(text);

/** Whether a header speaks of the connection and the length of the body: only what sends the request can know them. */
export const isConnectionHeader = (name: string): boolean => OF_THE_CONNECTION.includes(name.toLowerCase());

/**
 * A name for a message. Where a whole header, `Authorization: Bearer …`, stands in its place, nothing after the colon is
 * shown.
 */
export const nameOnly = (written: string): string => written.replace(/:\s.*$/s, ': …');
