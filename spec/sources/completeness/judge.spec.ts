/** The table of completeness: the facts of a call, and what the judge makes of them (docs/completeness.md). */
import type { DoubtCode } from '../../../src/core/evidence';
import { NOTHING_MET } from '../../../src/sources/completeness/facts';
import type { CallFacts, KnownTotal, PageFacts } from '../../../src/sources/completeness/facts';
import { isSilent, judgeCall } from '../../../src/sources/completeness/judge';
import { RULES } from '../../../src/sources/completeness/rules';
import { NOTHING_SAID } from '../../../src/sources/completeness/said';
import type { Said } from '../../../src/sources/completeness/said';

const NOTHING: Said = { isOfSize: false, texts: [] };
const sign = (where: string, value = 'true') => ({ where, value });
const MORE: Said = { ...NOTHING, flag: sign('"has_more" in the body') };
const NEXT: Said = { ...NOTHING, address: sign('"next" in the body', '"/b?page=9"') };
const LAST: Said = { ...NOTHING, last: sign('"has_more" in the body', 'false') };
const NO_NEXT: Said = { ...NOTHING, noNext: sign('"next" in the body', 'null') };
const ERROR: Said = { ...NOTHING, error: sign('"error" in the body', '"expired"') };
const TEXT = sign('"message" in the body', 'The service is busy');
const BUSY: Said = { ...NOTHING, texts: [TEXT] };
const BOTH: Said = { ...MORE, ...NEXT };

const full = (said = NOTHING, count = 10): PageFacts => ({ count, place: 'list', isFull: true, said });
const short = (said = NOTHING, count = 4): PageFacts => ({ count, place: 'list', isFull: false, said });
const empty = (said = NOTHING, place: PageFacts['place'] = 'list'): PageFacts => ({
  count: 0,
  place,
  isFull: false,
  said,
});

const news = (page: PageFacts): PageFacts => ({ ...page, newText: TEXT });

const total = (value: number, change: Partial<KnownTotal> = {}): KnownTotal => ({
  ...{ value, where: '"total"', isSteady: true, isOfAll: true },
  ...change,
});

/** Three pages by offset, 24 items, of which the last page is short. */
const paged = (change: Partial<CallFacts> = {}): CallFacts => ({
  ...{ endpoint: 'items', by: 'position', isChild: false, pages: 3, items: 24, met: {} },
  ...{ end: 'ordinary', because: 'The page is not full.', last: short(), before: full() },
  ...change,
});
const single = (change: Partial<CallFacts> = {}): CallFacts =>
  paged({ pages: 1, items: 4, before: undefined, ...change });
const byAddress = (change: Partial<CallFacts> = {}): CallFacts =>
  paged({ by: 'address', last: short(NO_NEXT), ...change });
const ended = (last: PageFacts, change: Partial<CallFacts> = {}): CallFacts =>
  paged({ pages: 3, items: 20, last, because: 'The page has no items.', ...change });
const again = (how: NonNullable<CallFacts['again']>, change: Partial<CallFacts> = {}): CallFacts =>
  paged({ end: 'again', again: how, pages: 2, items: 20, last: full(), before: full(), ...change });

type Outcome = 'complete' | 'doubtful' | 'incomplete';
type Row = [what: string, facts: CallFacts, outcome: Outcome, ...codes: DoubtCode[]];

const table: readonly Row[] = [
  // Ordinary ends, of which nothing speaks.
  ['a short page ends offsets', paged(), 'complete'],
  ['a page without items ends them', ended(empty()), 'complete'],
  ['an empty list alone', single({ items: 0, last: empty() }), 'complete'],
  ['one short page', single(), 'complete'],
  ['one full page without pagination', single({ by: 'nothing', last: full(), items: 10 }), 'complete'],
  ['a single object', single({ by: 'nothing', items: 1, last: { ...full(), count: 1, place: 'value' } }), 'complete'],
  ['null in place of a list behind a full page', ended(empty(NOTHING, 'blank')), 'complete'],
  ['no next address', byAddress(), 'complete'],
  ['no next address on a page without items', byAddress({ last: empty(NO_NEXT), items: 20 }), 'complete'],
  ['no token behind pages that had one', byAddress({ by: 'token', last: short(), met: { hadNext: true } }), 'complete'],
  ['a call of a child without items', single({ isChild: true, items: 0, last: empty() }), 'complete'],

  // Stops of the configuration.
  ['forceStop, though the API has more', paged({ end: 'wanted', last: full(BOTH) }), 'complete'],
  ['forceStop after one page that names another', single({ end: 'wanted', last: full(NEXT) }), 'complete'],
  ['forceStop before the total', paged({ end: 'wanted', last: full(), total: total(100) }), 'complete'],
  ['forceStop before the declared total', paged({ end: 'wanted', total: total(100), declared: '"total"' }), 'complete'],
  ['forceStop without the declared total', paged({ end: 'wanted', declared: '"total"' }), 'complete'],
  ['nextPageFlag reads the end', paged({ end: 'read', last: full(LAST) }), 'complete'],
  ['nextPageFlag reads the end beside an address', paged({ end: 'read', last: short(NEXT) }), 'complete'],
  ['nextPageFlag ends a first page that has an address', single({ end: 'read', last: full(NEXT) }), 'complete'],
  [
    'nextPageFlag ends a first page that another flag contradicts',
    single({ end: 'read', last: full(BOTH) }),
    'incomplete',
    'NEXT_PAGE_NOT_TAKEN',
  ],
  ['limitStop reaches its number', paged({ end: 'counted', last: short() }), 'complete'],
  ['limitStop ends a full first page', single({ end: 'counted', last: full(), items: 10 }), 'doubtful', 'PAGE_CAPPED'],
  [
    'limitStop ends a full first page, and the total says so',
    single({ end: 'counted', last: full(), items: 10, total: total(10) }),
    'complete',
  ],
  [
    'limitStop ends a full first page, by a total that may be of the page',
    single({ end: 'counted', last: full(), items: 10, total: total(10, { isOfAll: false }) }),
    'doubtful',
    'PAGE_CAPPED',
  ],
  [
    'limitStop ends a full first page, by the declared total',
    single({ end: 'counted', last: full(), items: 10, total: total(10), declared: '"total"' }),
    'complete',
  ],
  [
    'limitStop over a number that grows',
    paged({ end: 'counted', last: full(), items: 30, total: total(30, { isSteady: false }) }),
    'doubtful',
    'PAGE_CAPPED',
  ],
  ['a rule says that this is the end', ended(empty(MORE), { end: 'declared' }), 'complete'],
  ['a rule says that this is the last page', single({ end: 'declared', last: full(BOTH) }), 'complete'],
  [
    'a rule ends a call before the declared total',
    paged({ end: 'declared', total: total(30), declared: '"total"' }),
    'incomplete',
    'TOTAL_NOT_REACHED',
  ],

  // Totals.
  ['a total that is reached', paged({ total: total(24) }), 'complete'],
  ['a total that is not reached', paged({ total: total(25) }), 'doubtful', 'TOTAL_NOT_REACHED'],
  ['a total that is exceeded', paged({ total: total(23) }), 'doubtful', 'TOTAL_EXCEEDED'],
  ['a number no larger than a page is exceeded', paged({ total: total(10, { isOfAll: false }) }), 'complete'],
  ['a number that differs by page is exceeded', paged({ total: total(20, { isSteady: false }) }), 'complete'],
  [
    'the last of several totals is not reached',
    paged({ total: total(30, { isSteady: false }) }),
    'doubtful',
    'TOTAL_NOT_REACHED',
  ],
  ['at least as many as came', paged({ total: total(24, { isAtLeast: true }) }), 'complete'],
  ['more than at least so many', paged({ total: total(20, { isAtLeast: true }) }), 'complete'],
  ['fewer than at least so many', paged({ total: total(30, { isAtLeast: true }) }), 'doubtful', 'TOTAL_NOT_REACHED'],
  [
    'a total that is reached by items of which one came twice',
    paged({ distinct: 23, total: total(24), met: { repeated: 1 } }),
    'doubtful',
    'TOTAL_NOT_REACHED',
    'PAGES_OVERLAP',
  ],
  [
    'a total that is reached by different items, and one came twice',
    paged({ distinct: 23, total: total(23), met: { repeated: 1 } }),
    'doubtful',
    'PAGES_OVERLAP',
  ],
  [
    'a total that is not reached, on a page that says that it is the last',
    paged({ last: short(LAST), total: total(30) }),
    'complete',
  ],
  ['a declared total that is reached', paged({ total: total(24), declared: '"total"' }), 'complete'],
  [
    'a declared total that is not reached',
    paged({ total: total(25), declared: '"total"' }),
    'incomplete',
    'TOTAL_NOT_REACHED',
  ],
  [
    'a declared total that is not reached, whatever a flag says',
    paged({ last: short(LAST), total: total(25), declared: '"total"' }),
    'incomplete',
    'TOTAL_NOT_REACHED',
  ],
  [
    'a declared total that is exceeded',
    paged({ total: total(23), declared: '"total"' }),
    'incomplete',
    'TOTAL_EXCEEDED',
  ],
  [
    'a declared total that is exceeded by items that came twice',
    paged({ distinct: 23, total: total(23), declared: '"total"', met: { repeated: 1 } }),
    'doubtful',
    'PAGES_OVERLAP',
  ],
  ['a declared total that no response has', paged({ declared: '"total"' }), 'incomplete', 'TOTAL_NOT_FOUND'],
  ['a declared total of 0', single({ items: 0, last: empty(), total: total(0), declared: '"total"' }), 'complete'],
  [
    'a total is reached, and the last page names another one',
    paged({ last: short(NEXT), total: total(24) }),
    'complete',
  ],
  [
    'a total is reached, and a flag says that there is more',
    paged({ last: short(MORE), total: total(24) }),
    'complete',
  ],
  [
    'a number as large as the only page, which names another one',
    single({ by: 'nothing', last: full(NEXT), items: 10, total: total(10, { isOfAll: false }) }),
    'incomplete',
    'NEXT_PAGE_NOT_TAKEN',
  ],

  // The API says that there is another page, and the job does not look there.
  [
    'a job without pagination, and a next address',
    single({ by: 'nothing', last: full(NEXT) }),
    'incomplete',
    'NEXT_PAGE_NOT_TAKEN',
  ],
  [
    'a job without pagination, and a flag',
    single({ by: 'nothing', last: full(MORE) }),
    'incomplete',
    'NEXT_PAGE_NOT_TAKEN',
  ],
  [
    'a job that looks for the address elsewhere',
    single({ by: 'address', last: full(NEXT) }),
    'incomplete',
    'NEXT_PAGE_NOT_TAKEN',
  ],
  [
    'a job that looks for the token elsewhere',
    single({ by: 'token', last: full(MORE) }),
    'incomplete',
    'NEXT_PAGE_NOT_TAKEN',
  ],
  [
    'a call of a child that has more pages',
    single({ by: 'nothing', isChild: true, last: short(NEXT) }),
    'incomplete',
    'NEXT_PAGE_NOT_TAKEN',
  ],
  ['a first page that says that it is the last', single({ by: 'nothing', last: full(LAST) }), 'complete'],
  [
    'a first page without items that names another one',
    single({ by: 'nothing', items: 0, last: empty(NEXT) }),
    'doubtful',
    'NEXT_PAGE_EMPTY',
  ],
  ['the last of several pages names another one', byAddress({ last: short(NEXT) }), 'complete'],
  [
    'a total says that the first page has all',
    single({ by: 'nothing', last: short(NEXT), total: total(4, { isOfAll: true }) }),
    'complete',
  ],

  // A first page that is not the first, or was asked for without its size.
  [
    'the API has a page before the first',
    single({ met: { previous: sign('"first" in the body', 'false') } }),
    'incomplete',
    'PAGE_SKIPPED',
  ],
  [
    'the API has a page before the first, and ends well',
    paged({ last: short(LAST), met: { previous: sign('"first" in the body', 'false') } }),
    'incomplete',
    'PAGE_SKIPPED',
  ],
  ['a first page by a size of the API', single({ met: { unsized: 10 } }), 'doubtful', 'PAGE_CAPPED'],
  [
    'a first page by a size of the API, and the total is reached',
    single({ met: { unsized: 10 }, total: total(4) }),
    'complete',
  ],
  ['a first page by a size of the API, and pages behind it', paged({ met: { unsized: 10 } }), 'complete'],

  // Ends without items.
  ['an empty page that says that there is more', ended(empty(MORE)), 'doubtful', 'NEXT_PAGE_EMPTY'],
  ['an empty page that names another one', ended(empty(NEXT)), 'doubtful', 'NEXT_PAGE_EMPTY'],
  [
    'an empty page that names itself',
    byAddress({ by: 'token', last: { ...empty(NEXT), namesItself: true } }),
    'complete',
  ],
  ['a page with items that names itself', byAddress({ last: { ...short(NEXT), namesItself: true } }), 'complete'],
  ['an empty page that says that it is the last', ended(empty(LAST)), 'complete'],
  [
    'an empty page that names another one, and the total is reached',
    ended(empty(NEXT), { total: total(20) }),
    'complete',
  ],
  [
    'three empty pages that name others',
    byAddress({ end: 'empty-pages', last: empty(NEXT), items: 20 }),
    'doubtful',
    'NEXT_PAGE_EMPTY',
  ],
  ['a sentence in place of items', ended(news(empty(BUSY))), 'doubtful', 'API_MESSAGE'],
  ['a sentence that pages before had, too', ended(empty(BUSY)), 'complete'],
  ['a sentence beside a flag for the last page', ended(news(empty({ ...BUSY, ...LAST }))), 'complete'],
  ['a sentence in place of a list', ended(news(empty(BUSY, 'missing'))), 'doubtful', 'API_MESSAGE'],
  ['a sentence on the first page', single({ items: 0, last: news(empty(BUSY)) }), 'doubtful', 'API_MESSAGE'],
  ['a sentence beside items', paged({ last: news(short(BUSY)) }), 'complete'],
  ['no list behind a full page', ended(empty(NOTHING, 'missing')), 'doubtful', 'LIST_MISSING'],
  ['an empty body behind a full page', ended(empty(NOTHING, 'empty')), 'doubtful', 'LIST_MISSING'],
  [
    'no list behind a full page, and the total is reached',
    ended(empty(NOTHING, 'missing'), { total: total(20) }),
    'complete',
  ],
  ['no list behind a page that was not full', ended(empty(NOTHING, 'missing'), { before: short() }), 'complete'],
  [
    'no list behind pages with addresses',
    byAddress({ last: empty(NOTHING, 'missing'), met: { hadNext: true } }),
    'doubtful',
    'LIST_MISSING',
  ],
  [
    'a response that leaves its empty list out, behind pages with tokens',
    byAddress({ by: 'token', last: { ...empty(NOTHING, 'missing'), leavesListOut: true }, met: { hadNext: true } }),
    'complete',
  ],
  [
    'a response without a list that has a new sentence, behind pages with tokens',
    byAddress({
      ...{ by: 'token', met: { hadNext: true } },
      last: { ...news(empty(BUSY, 'missing')), leavesListOut: true },
    }),
    'doubtful',
    'API_MESSAGE',
  ],
  [
    'an error without a list, behind pages with tokens',
    byAddress({ by: 'token', last: { ...empty(ERROR, 'missing'), leavesListOut: true }, met: { hadNext: true } }),
    'incomplete',
    'ERROR_IN_BODY',
  ],
  [
    'an error beside an empty list, behind pages with tokens',
    byAddress({ by: 'token', last: empty(ERROR), met: { hadNext: true } }),
    'incomplete',
    'ERROR_IN_BODY',
  ],
  ['no list on the first page', single({ items: 0, last: empty(NOTHING, 'missing') }), 'complete'],
  ['404 behind a full page', ended(empty(NOTHING, 'empty'), { end: 'refused', pages: 2 }), 'doubtful', 'PAGE_REFUSED'],
  [
    '404 behind a page that was not full',
    ended(empty(NOTHING, 'empty'), { end: 'refused', before: short(), pages: 2 }),
    'complete',
  ],
  [
    '404 behind a full page, and the total is reached',
    ended(empty(NOTHING, 'empty'), { end: 'refused', total: total(20), pages: 2 }),
    'complete',
  ],
  [
    '404 behind a full page that said that it is the last',
    ended(empty(NOTHING, 'blank'), { end: 'refused', before: full(LAST), pages: 2 }),
    'complete',
  ],
  ['no list behind the last page', ended(empty(NOTHING, 'missing'), { before: full(LAST) }), 'complete'],
  [
    'an empty body behind a page without a next one',
    ended(empty(NOTHING, 'empty'), { before: full(NO_NEXT) }),
    'complete',
  ],
  ['a sentence behind the last page', ended(news(empty(BUSY)), { before: full(LAST) }), 'complete'],
  ['an error behind the last page', ended(empty(ERROR, 'missing'), { before: full(LAST) }), 'complete'],
  [
    'no list behind a page that said that there is more',
    ended(empty(NOTHING, 'missing'), { before: full(MORE) }),
    'doubtful',
    'LIST_MISSING',
  ],
  ['more pages, said behind the last page', ended(empty(MORE), { before: full(LAST) }), 'doubtful', 'NEXT_PAGE_EMPTY'],

  // Errors with a status of success.
  ['an error in place of items', ended(empty(ERROR)), 'incomplete', 'ERROR_IN_BODY'],
  ['an error on the first page', single({ items: 0, last: empty(ERROR) }), 'incomplete', 'ERROR_IN_BODY'],
  ['an error beside items', paged({ last: short(ERROR) }), 'complete'],
  [
    'an error of a call of a child',
    single({ isChild: true, items: 0, last: empty(ERROR) }),
    'incomplete',
    'ERROR_IN_BODY',
  ],
  ['an error, and the total is reached', ended(empty(ERROR), { total: total(20) }), 'complete'],
  [
    'an error, and a sentence',
    ended(news(empty({ ...ERROR, ...{ texts: BUSY.texts } }))),
    'incomplete',
    'ERROR_IN_BODY',
  ],
  ['status 202 without items', single({ items: 0, last: { ...empty(), isNotReady: true } }), 'incomplete', 'NOT_READY'],
  ['a redirect that lost the position', paged({ met: { redirected: true } }), 'incomplete', 'REDIRECTED'],
  [
    'a redirect that lost the position, and the total is reached',
    paged({ met: { redirected: true }, total: total(24) }),
    'complete',
  ],

  // Pages that come again.
  ['page 2 equals page 1', again('page-before', { pages: 1, items: 10 }), 'incomplete', 'POSITION_IGNORED'],
  [
    'page 2 equals page 1, and a total agrees',
    again('page-before', { pages: 1, items: 10, total: total(10) }),
    'complete',
  ],
  [
    'page 2 equals page 1, which said that it is the last',
    again('page-before', { pages: 1, items: 10, before: full(LAST) }),
    'complete',
  ],
  [
    'page 2 equals page 1, which said that there is more',
    again('page-before', { pages: 1, items: 10, before: full(MORE) }),
    'incomplete',
    'POSITION_IGNORED',
  ],
  ['page 3 equals page 2', again('page-before'), 'complete'],
  [
    'page 3 equals page 2, and the total is not reached',
    again('page-before', { total: total(90) }),
    'doubtful',
    'TOTAL_NOT_REACHED',
  ],
  [
    'page 3 equals page 2, and the declared total is not reached',
    again('page-before', { total: total(90), declared: '"total"' }),
    'incomplete',
    'TOTAL_NOT_REACHED',
  ],
  ['another token gives the same items', again('page-before', { by: 'token' }), 'incomplete', 'POSITION_IGNORED'],
  [
    'a token that was another one before gives the same items twice',
    again('page-before', { by: 'token', met: { token: 'stays' }, before: full(NEXT) }),
    'complete',
  ],
  [
    'such a token, and a flag says that there is more',
    again('page-before', { by: 'token', met: { token: 'stays' }, before: full(BOTH) }),
    'doubtful',
    'PAGE_REPEATED',
  ],
  [
    'such a token, and the total is not reached',
    again('page-before', { by: 'token', met: { token: 'stays' }, before: full(NEXT), total: total(90) }),
    'doubtful',
    'TOTAL_NOT_REACHED',
  ],
  [
    'another address gives the same items',
    again('page-before', { by: 'address', pages: 1, items: 10 }),
    'incomplete',
    'POSITION_IGNORED',
  ],
  ['a page has the items of an earlier page', again('earlier'), 'doubtful', 'PAGE_REPEATED'],
  [
    'a page has the items of an earlier page, and the page before said that it is the last',
    again('earlier', { before: full(LAST) }),
    'complete',
  ],
  [
    'a page has the items of an earlier page, and the total is reached',
    again('earlier', { total: total(20) }),
    'complete',
  ],
  [
    'a page has the items of an earlier page, and the total is not reached',
    again('earlier', { total: total(90) }),
    'doubtful',
    'TOTAL_NOT_REACHED',
    'PAGE_REPEATED',
  ],
  ['an address leads back', again('ring', { by: 'address' }), 'incomplete', 'PAGE_RING'],
  ['a token leads back', again('ring', { by: 'token' }), 'incomplete', 'PAGE_RING'],
  ['an address leads back, and the total is reached', again('ring', { by: 'address', total: total(20) }), 'complete'],
  ['the third equal page that is kept', again('third'), 'incomplete', 'PAGE_RING'],
  [
    'most of the items of the first page come again',
    again('mostly', { pages: 1, items: 10 }),
    'incomplete',
    'PAGES_OVERLAP',
  ],
  ['a cursor that stays at its end', paged({ end: 'again', last: full() }), 'complete'],
  [
    'a first page that came again as the cursor has it, and says that there is more',
    single({ end: 'again', last: full(MORE) }),
    'incomplete',
    'NEXT_PAGE_NOT_TAKEN',
  ],

  // Items that come again, and orders.
  ['one item came before', paged({ distinct: 23, met: { repeated: 1 } }), 'doubtful', 'PAGES_OVERLAP'],
  [
    'one item came before, and a flag says that this is the end',
    paged({ distinct: 23, last: short(LAST), met: { repeated: 1 } }),
    'doubtful',
    'PAGES_OVERLAP',
  ],
  ['items against the order of the cursor', paged({ met: { disorder: true } }), 'incomplete', 'KEY_ORDER'],
  [
    'items against the order of the cursor, and the total is reached',
    paged({ met: { disorder: true }, total: total(24) }),
    'complete',
  ],
  ['a page has a key of the page before', paged({ end: 'again', met: { keyAgain: true } }), 'incomplete', 'KEY_ORDER'],
  [
    'a page has a key of the page before, whatever the total says',
    paged({ end: 'again', met: { keyAgain: true }, total: total(24) }),
    'incomplete',
    'KEY_ORDER',
  ],
  ['a key stands twice where the items are', paged({ met: { repeatedKey: 'items' } }), 'doubtful', 'KEY_REPEATED'],
  ['the cursor cuts a fraction off', paged({ met: { cut: { from: '7.5', to: '8' } } }), 'doubtful', 'CURSOR_CUT'],
  [
    'the cursor cuts a fraction off, and the total is reached',
    paged({ met: { cut: { from: '7.5', to: '8' } }, total: total(24) }),
    'complete',
  ],

  // Rows of lines.
  ['other columns on a later page', paged({ met: { columns: [['a'], ['b']] } }), 'incomplete', 'COLUMNS_DIFFER'],
  [
    'other columns in a call of a child',
    paged({ isChild: true, met: { columns: [['a'], ['b']] } }),
    'doubtful',
    'COLUMNS_DIFFER',
  ],
  ['an end that only the connection tells', single({ met: { endUnknown: true } }), 'doubtful', 'END_UNKNOWN'],
  [
    'an end that only the connection tells, and the total is reached',
    paged({ met: { endUnknown: true }, total: total(24) }),
    'complete',
  ],
];

describe('judgeCall', () => {
  it.each(table)('%s', (_, facts, outcome, ...codes) => {
    const { findings } = judgeCall(facts);
    expect(findings.map(({ code }) => code)).toEqual(codes);
    const levels = findings.map(({ level }) => level);
    expect(levels.includes('error') ? 'incomplete' : levels.length > 0 ? 'doubtful' : 'complete').toBe(outcome);
  });

  it('has a row for each rule, and a message for each row', () => {
    const met = new Set(table.flatMap(([, , outcome, ...codes]) => codes.map((code) => `${outcome} ${code}`)));
    const codes = new Set([...met].map((each) => each.split(' ')[1]));
    expect(RULES.map(({ code }) => code).filter((code) => !codes.has(code))).toEqual([]);
    for (const [, facts] of table)
      for (const { message } of judgeCall(facts).findings) {
        expect(message).toContain('items');
        expect(message).not.toMatch(/undefined|null|\[object/);
      }
  });

  it.each([{}, { declared: '"total"' }])(
    'says of a total that is not reached what to write where it is none: %j',
    (facts) => {
      const [found] = judgeCall(paged({ ...facts, total: total(90) })).findings;
      expect([found?.code, found?.message]).toEqual(['TOTAL_NOT_REACHED', expect.stringContaining('"total": "none"')]);
    },
  );

  it.each([
    ['nothing', 1],
    ['position', 0],
  ] as const)('advises a pagination where a job has none (%s)', (by, times) => {
    const [found] = judgeCall(single({ by, total: total(90) })).findings;
    expect(found?.message.split('set api.pagination')).toHaveLength(1 + times);
  });

  it('says where the API has a total, if not at the declared place', () => {
    const said: Said = { ...NOTHING, total: { value: 24, where: '"meta.total"' } };
    for (const facts of [paged({ last: short(said) }), paged({ before: full(said) })])
      expect(judgeCall({ ...facts, declared: '"totl"' }).findings).toMatchObject([
        { code: 'TOTAL_NOT_FOUND', message: expect.stringContaining('The API has one at "meta.total".') as string },
      ]);
  });

  it('says nothing of a call of which nothing speaks, without asking the rules', () => {
    const silent = { ...single({ last: { ...short(), said: NOTHING_SAID } }), met: NOTHING_MET };
    expect(isSilent(silent)).toBe(true);
    expect(RULES.filter((rule) => rule.when(silent))).toEqual([]);
    for (const by of ['position', 'address', 'token', 'nothing'] as const)
      for (const facts of [
        silent,
        { ...silent, pages: 3, before: full() },
        { ...silent, isChild: true, last: { ...full(), said: NOTHING_SAID } },
      ])
        expect(RULES.filter((rule) => rule.when({ ...facts, by }))).toEqual([]);
  });

  it('names what proves an end', () => {
    expect(judgeCall(paged({ last: short(LAST) })).proof).toBe('"has_more" in the body');
    expect(judgeCall(paged()).proof).toBeUndefined();
  });
});
