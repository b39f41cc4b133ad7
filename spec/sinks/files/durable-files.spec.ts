import { win32 } from 'node:path';
import { findSink } from '../../../src/language/configuration/destination';
import { fileNameFor, safeFileName } from '../../../src/sinks/files/durable-files';
import { csv, duckdb, ndjson, sqlite } from '../../../src/sinks/registry';

describe('names of tables as names of files', () => {
  it.each([
    ['rivers/1', 'rivers%2F1', 'rivers%2F1'],
    ['50%', '50%25', '50%25'],
    ['.hidden', '%2Ehidden', '%2Ehidden'],
    ['2024-01-01T06:00', '2024-01-01T06:00', '2024-01-01T06%3A00'],
    ['what?', 'what?', 'what%3F'],
    ['a<b>|"*"', 'a<b>|"*"', 'a%3Cb%3E%7C%22%2A%22'],
    ['end.', 'end.', 'end%2E'],
    ['end ', 'end ', 'end%20'],
  ])('%j is %j, and on Windows %j', (name, posix, windows) => {
    expect([fileNameFor(name, 'linux'), fileNameFor(name, 'win32')]).toEqual([posix, windows]);
    expect(safeFileName(fileNameFor(name, 'win32'), 'win32')).toBe(windows);
    expect(win32.basename(win32.join('C:\\data', windows))).toBe(windows);
  });

  it.each([
    'CON',
    'con.csv',
    'Aux.ndjson',
    'nul',
    'PRN .csv',
    'COM1.csv',
    'lpt9',
    'CONIN$',
    'a:b.csv',
    'a?',
    'a.',
    'a ',
  ])('refuses %j on Windows, where it would be a device, a stream of a file or another name', (name) => {
    expect(() => safeFileName(name, 'win32')).toThrow(expect.objectContaining({ code: 'TABLE_NAME' }) as Error);
    expect(safeFileName(name, 'linux')).toBe(name);
  });

  it.each(['console.csv', 'auxiliary', 'com.csv', 'com10.csv', 'nullable.ndjson', 'a.b.csv'])(
    'takes %j anywhere',
    (name) => {
      expect([safeFileName(name, 'win32'), safeFileName(name, 'linux')]).toEqual([name, name]);
    },
  );

  it.each(['', '.', '..', 'a/b', 'a\\b', 'a\0b', 'x'.repeat(241)])('refuses %j anywhere', (name) => {
    for (const platform of ['win32', 'linux'])
      expect(() => safeFileName(name, platform)).toThrow(expect.objectContaining({ code: 'TABLE_NAME' }) as Error);
  });
});

describe('paths of Windows in addresses of destinations', () => {
  const sinks = [csv, duckdb, ndjson, sqlite];

  it.each([
    ['duckdb:C:\\data\\x.duckdb', 'duckdb', 'C:\\data\\x.duckdb'],
    ['duckdb:C:/data/x.duckdb?nested=json', 'duckdb', 'C:/data/x.duckdb'],
    ['sqlite:\\\\server\\share\\x.sqlite', 'sqlite', '\\\\server\\share\\x.sqlite'],
    ['csv:D:out', 'csv', 'D:out'],
    ['ndjson:C:\\Program Files\\out', 'ndjson', 'C:\\Program Files\\out'],
  ])('%s', (address, name, place) => {
    expect(findSink(address, sinks)).toMatchObject({ sink: { name }, address: { rest: place } });
    expect(win32.normalize(place)).not.toContain('?');
  });

  it.each(['C:\\data\\x.duckdb', 'file:///C:/data/x.duckdb'])('%s names no kind of destination', (address) => {
    expect(findSink(address, sinks)).toMatchObject({
      fault: expect.stringMatching(/^A destination should be .*duckdb:/) as string,
    });
  });
});
