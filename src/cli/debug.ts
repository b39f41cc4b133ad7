import type { Json } from '..';

const BLANK: readonly unknown[] = [undefined, null, false, 0, '', '0'];

/**
 * Whether the configuration asks for level debug (docs/language/configuration.md#config), before it has been decoded.
 */
export function asksForDebug(config: Json): boolean {
  const settings = at(at(config, 'parameters') ?? config, 'config');
  return !BLANK.includes(at(settings, 'debug'));
}

const at = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
