import { xml } from '../../../src/http/formats/xml';
import { keysOf } from '../../../src/core/json/objects';
import type { JsonObject } from '../../../src/core/model';

const readXml = (text: string) => xml.read(text, {});

describe('XML as JSON', () => {
  it.each([
    ['<a>x</a>', { a: 'x' }],
    ['<a> x\n</a>', { a: 'x' }],
    ['<a/>', { a: '' }],
    ['<a id="1">x</a>', { a: { '@id': '1', '#text': 'x' } }],
    ['<a id="1"/>', { a: { '@id': '1' } }],
    ['<a><b>1</b><c>2</c><b>3</b></a>', { a: { b: ['1', '3'], c: '2' } }],
    ['<a>one<b>2</b>three</a>', { a: { b: '2', '#text': 'onethree' } }],
    ['<a><![CDATA[<b> & ]]></a>', { a: '<b> &' }],
    ['<a>&lt;&amp;&#65;&#x42;</a>', { a: '<&AB' }],
    ['<?xml version="1.0"?><!-- c --><a><?do it?><!-- c -->x</a>', { a: 'x' }],
    ['<s:a xmlns:s="urn:s" xmlns="urn:t" s:k="v"><s:b/></s:a>', { 's:a': { '@s:k': 'v', 's:b': '' } }],
    ['<a><n>007</n><n>9007199254740993</n></a>', { a: { n: ['007', '9007199254740993'] } }],
  ])('%s', (text, value) => {
    expect(readXml(text)).toEqual(value);
  });

  it('members keep the order of their first appearance, attributes first', () => {
    const { a } = readXml('<a z="1" y="2">t<m/><b/><m/></a>') as { a: JsonObject };
    expect(keysOf(a)).toEqual(['@z', '@y', 'm', 'b', '#text']);
  });

  it('an element called __proto__ is data', () => {
    const { a } = readXml('<a><__proto__><x>1</x></__proto__></a>') as { a: JsonObject };
    expect(Object.getOwnPropertyDescriptor(a, '__proto__')?.value).toEqual({ x: '1' });
    expect(Object.getPrototypeOf(a)).toBe(Object.prototype);
  });

  it.each([
    ['<a>\n<b></a>', /^line 2, column \d+: /],
    ['<a>', /unclosed tag/],
    ['<a/><b/>', /./],
    ['<a x=1/>', /./],
    ['no XML', /./],
  ])('%j is not well-formed', (text, reason) => {
    expect(() => readXml(text)).toThrow(reason);
    expect(() => readXml(text)).toThrow(expect.objectContaining({ name: 'Unreadable' }) as Error);
  });

  it('elements may nest 200 levels deep, and no deeper', () => {
    const nested = (depth: number): string => '<a>'.repeat(depth) + '</a>'.repeat(depth);
    expect(readXml(nested(200))).toHaveProperty('a.a.a');
    expect(() => readXml(nested(201))).toThrow('nest more than 200 levels deep');
  });

  describe('entities of a document type are not read', () => {
    it('a bomb of entities is refused at its first reference', () => {
      const bomb = '<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;&x;&x;">]><a>&y;</a>';
      expect(() => readXml(bomb)).toThrow('undefined entity');
    });

    it('a file outside is never asked for', () => {
      const outside = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>';
      expect(() => readXml(outside)).toThrow('undefined entity');
    });

    it('a document type that nothing refers to does no harm', () => {
      expect(readXml('<!DOCTYPE a SYSTEM "http://h/a.dtd"><a>x</a>')).toEqual({ a: 'x' });
    });
  });
});
