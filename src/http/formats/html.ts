/** Where a page has to begin: nobody writes longer comments above it. */
const BEGINNING = 2048;
const BEGINS = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[^])*-->\s*)*<(?:!doctype\s+html|html[\s>])/i;

/** Whether a body begins like HTML, whatever its content type. */
export const beginsAsHtml = (text: string): boolean => BEGINS.test(text.slice(0, BEGINNING));
