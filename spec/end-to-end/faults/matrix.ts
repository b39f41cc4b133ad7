import type { FaultGroup } from './fault';
import { bodies } from './matrix/bodies';
import { codings } from './matrix/codings';
import { connections } from './matrix/connections';
import { framing } from './matrix/framing';
import { redirects } from './matrix/redirects';
import { statuses } from './matrix/statuses';

/** Every fault, in the order of the page. */
export const MATRIX: readonly FaultGroup[] = [connections, framing, codings, bodies, redirects, statuses];
