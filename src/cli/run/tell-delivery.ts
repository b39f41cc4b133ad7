import type { Delivery } from '../..';
import { visible } from '../terminal';
import { showSummary } from '../summary/show-summary';
import type { RunConsole } from './console';
import { PRINTED } from './destinations';

/**
 * Says what a run has done: at the terminal, if there is one; in the log, if that goes elsewhere.
 *
 * @returns how many warnings there were about it
 */
export async function tellDelivery(
  delivery: Delivery,
  { logger, progress, isLogRead, name }: RunConsole,
): Promise<number> {
  if (delivery.alreadyCommitted) return 0;
  if (delivery.resumedPages > 0) logger.log('info', `The run went on after ${delivery.resumedPages} pages.`);
  const isPrintedTo = delivery.stored.some(({ sink }) => sink === PRINTED);
  const terminal = process.stdout.isTTY && !isPrintedTo ? process.stdout : isLogRead ? process.stderr : undefined;
  const heading = name === undefined ? '' : `${visible(name)}\n`;
  return showSummary(delivery, progress.snapshot(), {
    ...(terminal === undefined ? {} : { write: (text: string) => terminal.write(`${heading}${text}`) }),
    log: logger,
    isLogged: !isLogRead,
  });
}
