import type { Discovery, DiscoveryFinding } from '../../index';

const NAMES: Readonly<Record<DiscoveryFinding['about'], string>> = {
  data: 'Items',
  paging: 'Paging',
  credentials: 'Credentials',
  key: 'Key',
  incremental: 'Changes',
  format: 'Format',
};

/** What was found and how sure it is, for a person. */
export function printedFindings({ findings, requests }: Discovery): string {
  const lines = findings.map(({ about, value, confidence, reason }) =>
    [`  ${NAMES[about].padEnd(12)}${value} (${confidence})`, `  ${''.padEnd(12)}${reason}`].join('\n'),
  );
  return `\nFound, by ${requests} ${requests === 1 ? 'request' : 'requests'}:\n\n${lines.join('\n')}\n`;
}
