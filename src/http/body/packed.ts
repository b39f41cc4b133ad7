import { isZip } from '../formats/zip/directory';
import { isWorkbook } from '../formats/xlsx/workbook';
import { isOldOffice } from '../formats/xlsx/old-office';
import { isGzip } from './unpack';

/** What a body is that is no text, and what to do where it should have been JSON; `undefined` for any other. */
export function packedBody(body: Uint8Array): string | undefined {
  if (isGzip(body)) return `a gzip file. ${UNPACK}`;
  if (isOldOffice(body))
    return 'an Excel file of the old kind (.xls), or an encrypted one. Ask the API for .xlsx or CSV.';
  if (!isZip(body)) return undefined;
  return isWorkbook(body) ? 'an Excel file. Set "format": "xlsx" in the job.' : `a zip archive. ${UNPACK}`;
}

const UNPACK =
  'Set "format" in the job to what the file in it is, such as "csv", "jsonl", "xml" or "json": then it is unpacked.';
