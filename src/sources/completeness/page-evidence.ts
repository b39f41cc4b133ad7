import { cacheHint } from '../../core/errors/response-facts';
import type { Doubt, Evidence, Shaped } from '../../core/evidence';
import { isTopLevel } from '../call';
import type { JobRun } from '../job-run';
import { cutFraction } from './cut-fraction';
import { cutLists } from './cut-lists';
import { doubtsAtEnd } from './end-doubts';
import type { KnownTotal } from './known';
import { flagAsString } from './flag-as-string';
import { listInItem } from './list-in-item';
import { listOfObject } from './list-of-object';
import { sampleOf } from './window-sample';
import { listsIn } from './metadata-objects';
import { printOf } from './repeated-page';
import type { PageOutcome } from './page-outcome';
import { movedItems } from './pages-overlap';
import { otherColumns } from './other-columns';
import { ledElsewhere } from './led-elsewhere';
import { misspelledPlace } from './misspelled-place';
import { saysError } from './error-in-body';
import { skippedBeginning } from './skipped-beginning';
import { unsizedFirstPage } from './unsized-first-page';

const FAILURE = 400;

/** The evidence of a page about the completeness of its call (docs/completeness.md); `undefined` when there is none. */
export function evidenceOf(running: JobRun, taken: PageOutcome, total: KnownTotal | undefined): Evidence | undefined {
  const { reply, found } = taken;
  const isRefused = reply.response.status >= FAILURE;
  const unmet = isRefused ? undefined : unmetIn(taken);
  const error = isRefused ? undefined : saysError(running, taken);
  const misspelled = misspelledPlace(running, taken);
  const ends = doubtsAtEnd(running, taken, total).filter(({ code }) => code !== misspelled?.code);
  const end = endUnknown(running, taken, total);
  const order = isRefused ? undefined : disorder(running, taken);
  const cut = isRefused ? undefined : cutLists(found, reply);
  const inner = isRefused ? undefined : (listOfObject(running, taken) ?? listInItem(running, taken));
  const flag = isRefused ? undefined : flagAsString(running, taken);
  const begin = isRefused ? undefined : skippedBeginning(running, taken);
  const elsewhere = itemsElsewhere(running, taken, unmet ?? []);
  const led = isRefused ? [] : ledElsewhere(running, taken);
  const columns = isRefused ? undefined : taken.columns;
  const others = otherColumns(running.plan, taken.pages, columns, taken.columnsBefore);
  const told = (doubt: Doubt): Doubt => ({ ...doubt, message: doubt.message + cacheHint(reply.response) });
  const first = [error, elsewhere, ...led, others].filter((doubt) => doubt !== undefined).map(told);
  const unsized = unsizedFirstPage(running, taken, total);
  const moved = isRefused ? undefined : movedItems(running, taken);
  const fraction = isRefused ? undefined : cutFraction(running, taken);
  const rest = [flag, order, fraction, begin, moved, inner, misspelled, ...ends, unsized, end].filter(
    (doubt) => doubt !== undefined,
  );
  const doubts = [...first, ...rest];
  const evidence = {
    ...(unmet === undefined ? {} : { unmet }),
    ...(total === undefined ? {} : { total: total.value }),
    ...(doubts.length === 0 ? {} : { doubts }),
    ...(taken.verdict.kind === 'stop' && taken.verdict.why === 'wanted' ? { stopped: true } : {}),
    ...(isCompared(running, taken) ? { print: printOf(found) } : {}),
    ...(found.place.kind === 'value' ? { single: true } : {}),
    ...(cut === undefined ? {} : { cut }),
    ...(columns === undefined ? {} : { columns }),
    ...(isBeginning(running, taken) ? { begins: printOf(found) } : {}),
    ...(isBeginning(running, taken) && running.call.slice?.window !== undefined
      ? { sample: sampleOf(found.items) }
      : {}),
  };
  return Object.keys(evidence).length === 0 ? undefined : evidence;
}

const NO_CONTENT = 204;

/** What a response has in place of items; a body without anything says nothing of them, unless the status says that there is none. */
function unmetIn({ reply, found }: PageOutcome): readonly string[] | undefined {
  if (found.place.kind === 'missing') return listsIn(reply.data);
  return found.place.kind === 'empty' && reply.response.status !== NO_CONTENT ? [] : undefined;
}

/** The doubt about one of several calls of a job that has its items elsewhere; where all have, the job itself is doubted. */
function itemsElsewhere({ plan, call }: JobRun, { pages }: PageOutcome, unmet: readonly string[]): Doubt | undefined {
  if (pages > 0 || unmet.length === 0 || (isTopLevel(call) && call.slice === undefined)) return undefined;
  const where = plan.items.path === undefined ? 'the place of the items' : `dataField "${plan.items.path}"`;
  const message =
    `A call of ${plan.endpoint} had nothing at ${where}, but items at ${unmet.map((place) => `"${place}"`).join(', ')}. ` +
    `If these are meant, name their place in dataField.`;
  return { code: 'DATA_NOT_FOUND', level: 'warning', message };
}

/** The evidence of a page, with what its job made of its items and found in them; `undefined` when there is none. */
export function withItems(
  evidence: Evidence | undefined,
  shaped: Shaped | undefined,
  found: Pick<Evidence, 'met' | 'keys'>,
): Evidence | undefined {
  if (shaped === undefined && found.met === undefined && found.keys === undefined) return evidence;
  return { ...evidence, ...(shaped === undefined ? {} : { shaped }), ...found };
}

/** Whether a run that goes on has to compare the next page with this one. */
const isCompared = ({ paginator }: JobRun, { found, next }: PageOutcome): boolean =>
  paginator.by !== 'nothing' && next.kind === 'step' && found.count > 0;

/** Whether this is the first page of a window or of a partition, to be compared with those of the others. */
const isBeginning = ({ plan }: JobRun, { pages, found }: PageOutcome): boolean =>
  plan.slices !== undefined && pages === 0 && found.count > 0;

/** The doubt about a job whose first page is in an order in which the pagination leaves items out. */
function disorder({ plan, paginator }: JobRun, { pages, found, next }: PageOutcome): Doubt | undefined {
  if (pages > 0 || next.kind === 'stop' || paginator.leavesOut?.(found.items) !== true) return undefined;
  const message =
    `The first page of ${plan.endpoint} is not in the order in which the pagination goes on: unless it has all items, those behind it ` +
    `are missing. Let the API sort by pagination.idKey, or set "reverse" where its largest comes first and the parameter asks for smaller ones.`;
  return { code: 'PAGE_ORDER', level: 'warning', message };
}

/** The doubt about a response of lines that only the end of its connection ended, unless all items that the API counts came. */
function endUnknown(
  { plan }: JobRun,
  { reply, found, items }: PageOutcome,
  total: KnownTotal | undefined,
): Doubt | undefined {
  const mayBeCut = plan.stream === undefined ? reply.mayBeCut : reply.response.isEndUnknown;
  if (mayBeCut !== true || (total !== undefined && items + found.count >= total.value)) return undefined;
  const message =
    `A response of ${plan.endpoint} has neither a length nor chunks, and ended when the connection was closed: ` +
    `were it cut off at the end of a line, nothing would tell. Let the server send Content-Length, or compare the number of items.`;
  return { code: 'END_UNKNOWN', level: 'warning', message };
}
