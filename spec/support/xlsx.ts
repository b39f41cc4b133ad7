import { stringifyJson } from '../../src';
import type { Json } from '../../src';
import { zipOf } from './zip';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');

/** What an Excel file holds beside its sheets. */
export interface WorkbookParts {
  /** The elements `si` of the shared strings. */
  readonly strings?: string;
  /** The formats of styles from 1 on: the number of a built-in one, or the format itself. */
  readonly styles?: readonly (number | string)[];
  readonly is1904?: boolean;
  /** Parts in place of others, by path. */
  readonly others?: Readonly<Record<string, string | Uint8Array>>;
}

/** An Excel file of sheets, each the content of its element `sheetData`. */
export function workbookOf(sheets: Readonly<Record<string, string>>, parts: WorkbookParts = {}): Buffer {
  const { strings, styles, is1904 = false, others = {} } = parts;
  const entries = Object.entries(sheets);
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  const formats = (styles ?? []).map((style, at) => (typeof style === 'number' ? style : 200 + at));
  const files: Record<string, string | Uint8Array> = {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': `<Relationships>${relation('r1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns:r="${OFFICE}"><workbookPr date1904="${is1904 ? 1 : 0}"/><sheets>${entries
      .map(([name], at) => `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="s${at}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${entries
      .map((_, at) => relation(`s${at}`, 'worksheet', `worksheets/sheet${at + 1}.xml`))
      .join('')}${strings === undefined ? '' : relation('t', 'sharedStrings', '/xl/sharedStrings.xml')}${
      styles === undefined ? '' : relation('u', 'styles', 'styles.xml')
    }</Relationships>`,
    ...Object.fromEntries(
      entries.map(([, rows], at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `<?xml version="1.0"?><worksheet><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
    ...(strings === undefined ? {} : { 'xl/sharedStrings.xml': `<sst>${strings}</sst>` }),
    ...(styles === undefined
      ? {}
      : {
          'xl/styles.xml': `<styleSheet><numFmts>${styles
            .map((style, at) =>
              typeof style === 'number' ? '' : `<numFmt numFmtId="${200 + at}" formatCode="${escaped(style)}"/>`,
            )
            .join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats
            .map((number) => `<xf numFmtId="${number}"/>`)
            .join('')}</cellXfs></styleSheet>`,
        }),
    ...others,
  };
  return zipOf(Object.entries(files).map(([name, content]) => ({ name, content })));
}

/** A sheet of plain values, as Excel would have them. */
export const sheetDataOf = (rows: readonly (readonly Json[])[]): string =>
  rows.map((row) => `<row>${row.map(cellOf).join('')}</row>`).join('');

function cellOf(value: Json): string {
  if (value === null) return '<c/>';
  if (typeof value === 'string') return `<c t="inlineStr"><is><t>${escaped(value)}</t></is></c>`;
  if (typeof value === 'boolean') return `<c t="b"><v>${value ? 1 : 0}</v></c>`;
  return `<c><v>${stringifyJson(value)}</v></c>`;
}
