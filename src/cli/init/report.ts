import type { Discovery, DiscoveryFinding } from '../..';

const NAMES: Readonly<Record<DiscoveryFinding['about'], string>> = {
  data: 'Items',
  paging: 'Paging',
  credentials: 'Credentials',
  key: 'Key',
  incremental: 'Changes',
  format: 'Format',
};

/** What was found and how sure it is, for a person. */
export const printedFindings = (findings: readonly DiscoveryFinding[]): string =>
  findings
    .map(({ about, value, confidence, reason }) =>
      [`  ${NAMES[about].padEnd(12)}${value} (${confidence})`, `  ${''.padEnd(12)}${reason}`].join('\n'),
    )
    .join('\n');

/** What was found at one address. */
export const printedDiscovery = ({ findings, requests }: Discovery): string =>
  `\nFound, by ${requests} ${requests === 1 ? 'request' : 'requests'}:\n\n${printedFindings(findings)}\n`;
