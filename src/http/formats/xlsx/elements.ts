import { SaxesParser } from 'saxes';
import { Unreadable } from '../../../language/parts/format/unreadable';

/** What is done with the elements of a part of an Excel file; names have no prefix. */
export interface ElementHandlers {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
}

/**
 * Reads the elements of a part in their order.
 *
 * @param path of the part, for messages
 * @throws Unreadable when it is not well-formed
 */
export function readElements(xml: string, path: string, { open, close, text }: ElementHandlers): void {
  const parser = new SaxesParser();
  parser.on('error', ({ message }) => {
    throw new Unreadable(`its part ${JSON.stringify(path)} is no XML: ${message}`);
  });
  if (open !== undefined)
    parser.on('opentag', ({ name, attributes }) => {
      open(local(name), attributes);
    });
  if (close !== undefined)
    parser.on('closetag', ({ name }) => {
      close(local(name));
    });
  if (text !== undefined) {
    parser.on('text', text);
    parser.on('cdata', text);
  }
  parser.write(xml).close();
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1);
