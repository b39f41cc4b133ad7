import * as fc from 'fast-check';
import { entriesOf, isList, isObject } from '../../src/core/json/objects';
import { parseJson } from '../../src/core/json/parse';
import { valueAt } from '../../src/core/json/path';
import { rawDocument } from '../../src/core/json/raw-items';
import { stringifyJson } from '../../src/core/json/stringify';
import type { Json, Reply } from '../../src/core/model';
import { findItems } from '../../src/sources/items';
import { exactResponseValue, responseValue, totalPlaceText, totalValue } from '../../src/sources/response-values';
import { compilePath, valueAtPath } from '../../src/tables/mapping/reader';
import { anyJson, anyObject } from '../core/json/arbitrary-json';
import { runsOf } from '../support/cases';
import { aResponse } from '../support/requests';

/** The reply to a text, with its items found in bytes where that can be. */
function replyTo(text: string, path: readonly string[] | undefined): Reply {
  const document = rawDocument(Buffer.from(text), path);
  const response = aResponse({ body: Buffer.from(text) });
  return document === undefined
    ? { response, data: parseJson(text) }
    : { response, data: document.data, raw: document };
}

const DELIMITER = '\u{10FFFF}|';

/** Paths to all that lies inside, positions of arrays counted from either end. */
function pathsIn(value: Json, steps: readonly string[] = []): readonly (readonly string[])[] {
  const inner = isList(value)
    ? value.flatMap((each, at) => [
        pathsIn(each, [...steps, `${at}`]),
        pathsIn(each, [...steps, `${at - value.length}`]),
      ])
    : isObject(value)
      ? entriesOf(value).map(([key, each]) => pathsIn(each, [...steps, key]))
      : [];
  return [steps, ...inner.flat()];
}

describe('values of a response (language 0.4)', () => {
  it.each(['items.-1.id', 'items.2.id', 'next.-1', 'rows.-1', '-1', 'items.-4.id'])(
    '%s: what was found in bytes gives what the parsed response gives',
    (path) => {
      const text = '{"next":["a","b"],"items":[{"id":1},{"id":2},{"id":3}],"-1":"key"}';
      expect(responseValue(replyTo(text, ['items']), path)).toEqual(valueAt(parseJson(text), path));
    },
  );

  it('the last element of items without a parent', () => {
    expect(exactResponseValue(replyTo('[{"id":1},{"id":9007199254740993}]', []), '-1.id')).toBe(9007199254740993n);
  });

  it('reply, item and mapping agree on every path, whichever end positions are counted from', () => {
    fc.assert(
      fc.property(anyObject, fc.array(anyJson, { minLength: 1, maxLength: 4 }), (around, items) => {
        const text = stringifyJson({ items, around });
        const data = parseJson(text);
        const reply = replyTo(text, ['items']);
        for (const steps of pathsIn(data).slice(1)) {
          const path = steps.join(DELIMITER);
          if (path === DELIMITER || path.split(DELIMITER).length !== steps.length) continue;
          const value = valueAt(data, path, DELIMITER);
          expect(responseValue(reply, path, DELIMITER)).toEqual(value);
          expect(valueAtPath(data, compilePath(path, DELIMITER))).toEqual(value);
          const found = isList(value) && value.length > 0 ? value : undefined;
          if (found !== undefined) expect(findItems({ path, delimiter: DELIMITER }, data, 'x').items).toEqual(found);
        }
      }),
      { numRuns: runsOf(30) },
    );
  });
});

const reply = {
  response: aResponse({
    headers: { 'content-range': 'items 0-24/66', 'x-total': ['7', '8'], 'x-unknown': 'items */*' },
  }),
  data: { pages: [{ total: 1 }, { total: 5 }] },
};

describe('where a response says how many items there are', () => {
  it.each([
    [{ path: 'pages.-1.total' }, 5, '"pages.-1.total"'],
    [{ path: 'total' }, undefined, '"total"'],
    [{ header: 'content-range' }, '66', 'the header content-range'],
    [{ header: 'x-total' }, '7', 'the header x-total'],
    [{ header: 'x-unknown' }, undefined, 'the header x-unknown'],
    [{ header: 'x-none' }, undefined, 'the header x-none'],
  ])('%j', (place, value, text) => {
    expect(totalValue(reply, place)).toBe(value);
    expect(totalPlaceText(place)).toBe(text);
  });
});
