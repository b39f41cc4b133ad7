import type { Headers } from '../../core/model';

const SAMPLE = 64 * 1024;

/**
 * The format of a body that is no JSON document, by what it looks like; `undefined` for other text.
 *
 * @example formatOfText('{"a":1}\n{"a":2}\n', {}) // 'jsonl'
 */
export function formatOfText(text: string, headers: Headers): string | undefined {
  const sample = text
    .slice(0, SAMPLE)
    .replace(/^\ufeff/, '')
    .trimStart();
  const type = String(headers['content-type'] ?? '');
  if (sample.startsWith('<')) return 'xml';
  const lines = sample
    .split(/\r?\n/)
    .slice(0, 20)
    .filter((line) => line.trim() !== '');
  const whole = text.length > SAMPLE ? lines.slice(0, -1) : lines;
  if (whole.length > 0 && whole.every(isJson)) return 'jsonl';
  const [head = '', second] = whole;
  const columns = head.split(',').length;
  const isTable = columns > 1 && second !== undefined && !/[{[]/.test(head.charAt(0));
  return isTable || /\bcsv\b/i.test(type) ? 'csv' : undefined;
}

function isJson(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}
