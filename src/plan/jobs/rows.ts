/** Compiles `rows` of a job (docs/language/rows.md). */
import * as E from 'fp-ts/Either';
import type { Job } from '../../language/configuration/configuration';
import { fault } from '../../language/codec/codec';
import type { Checked } from '../../language/codec/codec';
import type { RowsMethod, RowsPlan } from '../plan';

const METHODS = 'keys, names, header and columns';

/** Returns how the rows of a job are made; `undefined` if the items are rows. */
export function planRows({ path, rows }: Pick<Job, 'path' | 'rows'>): Checked<RowsPlan | undefined> {
  if (rows === undefined) return E.right(undefined);
  const { keys, names, header, columns, add } = rows;
  const place = `${path}.rows`;
  const methods: readonly RowsMethod[] = [
    ...(keys === undefined ? [] : [{ kind: 'keys' as const, column: keys }]),
    ...(names === undefined ? [] : [{ kind: 'names' as const, names }]),
    ...(header ? [{ kind: 'header' as const }] : []),
    ...(columns ? [{ kind: 'columns' as const }] : []),
  ];
  const [method = { kind: 'items' as const }] = methods;
  if (methods.length > 1) return fault(place, `has more than one of ${METHODS}: each is a way of its own`);
  if (method.kind === 'items' && Object.keys(add).length === 0)
    return fault(place, `has none of ${METHODS}, and no "add": say how rows are made, or leave it out`);
  const taken = method.kind === 'keys' ? [method.column] : typeof names === 'string' ? [] : (names ?? []);
  const all = [...taken, ...Object.keys(add)];
  const again = all.find((name, at) => all.indexOf(name) < at);
  if (again !== undefined) return fault(place, `gives two columns the name ${JSON.stringify(again)}`);
  return method.kind === 'names' && names?.length === 0
    ? fault(`${place}.names`, 'has no names')
    : E.right({ method, add });
}
