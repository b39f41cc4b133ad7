import type { Logger } from 'winston';
import type { Writable } from 'node:stream';
import type { LogFormat, LogLevel } from '../../core/log';
import { visibleText } from '../../core/text';
import { winston } from './winston';

/**
 * Returns a logger that writes one line for each entry, for users (`text`) or programs (`json`), to `stream`, else to standard error. With
 * `configuration`, each entry names its configuration, for several that run together: as text before the message, in JSON as a field.
 *
 * @example createLogger({ level: 'info', format: 'text' }).info('Ready')
 */
export function createLogger(options: {
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly stream?: Writable;
  readonly configuration?: string;
}): Logger {
  const { createLogger: winstonLogger, format, transports } = winston();
  const { configuration } = options;
  const prefix = configuration === undefined ? '' : `[${configuration}] `;
  const line = format.printf(
    ({ level, message, timestamp }) => `${String(timestamp)} ${level}: ${visibleText(`${prefix}${String(message)}`)}`,
  );
  return winstonLogger({
    level: options.level,
    ...(configuration === undefined ? {} : { defaultMeta: { configuration } }),
    format: format.combine(format.timestamp(), options.format === 'json' ? format.json() : line),
    transports: [
      options.stream === undefined
        ? new transports.Console({ stderrLevels: ['error', 'warn', 'info', 'debug'] })
        : new transports.Stream({ stream: options.stream, eol: '\n' }),
    ],
  });
}
