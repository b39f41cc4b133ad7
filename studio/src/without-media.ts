/** Recordings of browsers are mostly pictures, scripts and pages: what has no data need not be sent. */

interface Entry {
  readonly response?: { readonly content?: { readonly mimeType?: unknown; readonly text?: unknown } };
}

const MEDIA = /^(?:image|video|audio|font)\/|^text\/(?:html|css|javascript)|javascript|wasm|octet-stream|font/i;

/** A HAR without the bodies of what cannot be data; any other text as it is. */
export function withoutMedia(text: string): string {
  if (!/^\ufeff?\s*\{\s*"log"/.test(text)) return text;
  try {
    const har = JSON.parse(text.replace(/^\ufeff/, '')) as { readonly log: { readonly entries: readonly Entry[] } };
    return JSON.stringify({ ...har, log: { ...har.log, entries: har.log.entries.filter((each) => !isMedia(each)) } });
  } catch {
    // The server says what is wrong with it.
    return text;
  }
}

const isMedia = (entry: Entry): boolean => {
  const type = entry.response?.content?.mimeType;
  return typeof type === 'string' && MEDIA.test(type);
};
