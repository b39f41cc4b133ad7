import { SaxesParser } from 'saxes';
import type { SaxesTagPlain } from 'saxes';
import { objectFrom } from '../../core/json/objects';
import type { Json } from '../../core/model';
import { defineFormat } from '../../language/parts/format';
import { encoding, file } from './options';
import { Unreadable } from '../../language/parts/errors';

const DEEPEST = 200;
const TEXT = '#text';
const DECLARATION = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/;
const NAMESPACE = /^xmlns(:|$)/;

/** An element that is still being read. */
interface Open {
  /** Attributes as `@name`, and child elements, in the order of their first appearance. */
  readonly members: Map<string, Json[]>;
  text: string;
}

const opened = (): Open => ({ members: new Map(), text: '' });

/**
 * Returns the value of an XML document: an object with the root element by its name. An element with only text becomes
 * that text, trimmed; any other becomes an object of its attributes (`@name`), its child elements, and its text
 * (`#text`). A repeated child of one element becomes an array. Names keep their prefix; comments, processing
 * instructions and namespace declarations are omitted.
 *
 * Only the entities of XML itself and character references are supported: those of a document type are never read,
 * neither from the document nor from outside.
 *
 * @throws Unreadable with line and column if the text is not well-formed
 * @example readXml('<a><b id="1">x</b><b/></a>') // { a: { b: [{ '@id': '1', '#text': 'x' }, ''] } }
 */
function readXml(text: string): Json {
  const document = opened();
  const outer: Open[] = [];
  let open = document;
  const parser = new SaxesParser();
  const addText = (more: string): void => {
    open.text += more;
  };
  parser.on('error', ({ message }) => {
    throw new Unreadable(inWords(message));
  });
  parser.on('opentag', ({ attributes }: SaxesTagPlain) => {
    if (outer.length === DEEPEST) throw new Unreadable(`its elements nest more than ${DEEPEST} levels deep`);
    outer.push(open);
    open = opened();
    for (const [name, value] of Object.entries(attributes))
      if (!NAMESPACE.test(name)) open.members.set(`@${name}`, [value]);
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', ({ name }: SaxesTagPlain) => {
    const value = valueOf(open);
    open = outer.pop() ?? document;
    const siblings = open.members.get(name);
    if (siblings === undefined) open.members.set(name, [value]);
    else siblings.push(value);
  });
  parser.write(text).close();
  return valueOf({ ...document, text: '' });
}

function valueOf({ members, text }: Open): Json {
  const content = text.trim();
  if (members.size === 0) return content;
  const entries = Array.from(
    members,
    ([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values] as const,
  );
  return objectFrom(content === '' ? entries : [...entries, [TEXT, content]]);
}

/** Converts `3:14: unclosed tag: a.` to `line 3, column 14: unclosed tag: a`. */
const inWords = (message: string): string =>
  message.replace(/^(?:undefined:)?(\d+):(\d+): /, 'line $1, column $2: ').replace(/\.$/, '');

/** XML (docs/language/responses.md#formats). */
export const xml = defineFormat({
  name: 'xml',
  label: 'XML',
  summary: 'Reads XML: an object with the root element.',
  use: 'Use it for XML, SOAP and feeds.',
  answer: 'Set `dataField` to the element of the items.',
  options: { encoding, file },
  rules: [
    'An element of only text is that text, trimmed; an empty one is `""`.',
    'Any other element is an object: attributes as `@name`, children by name, text as `#text`.',
    'A repeated element is an array. A single one is not, and `dataField` takes it as one item.',
    'Numbers stay strings. Names keep their prefix. Namespace declarations, comments and processing instructions are left out.',
    `Entities of a document type are never read. Elements nest at most ${DEEPEST} levels deep.`,
    'A body that is no XML is the error `API_FORMAT`, with line and column.',
  ],
  example: {
    about: 'Each station is an item:',
    config: { api: {}, config: { jobs: [{ endpoint: 'stations', format: 'xml', dataField: 'stations.station' }] } },
    exchanges: [
      {
        request: 'GET /stations',
        headers: { 'content-type': 'application/xml' },
        response:
          '<stations><station id="1"><name>Mill</name></station><station id="2"><name>Weir</name></station></stations>',
      },
    ],
    items: [
      { '@id': '1', name: 'Mill' },
      { '@id': '2', name: 'Weir' },
    ],
  },
  contentTypes: [{ type: /^(?:text|application)\/xml$|^(?!application\/xhtml).*\+xml$/, begins: /^\s*</, options: {} }],
  singleStandsAlone: true,
  showsEnd: true,
  declaredEncoding: (beginning) => DECLARATION.exec(beginning)?.[1],
  read: readXml,
});
