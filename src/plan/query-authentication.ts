import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Authentication } from '../config/configuration';
import type { Scope } from '../expressions/expression';
import { queryPairs } from '../url/query';
import { compileAdded } from './added-values';
import type { PlannedAuthentication, QueryPlan } from './authentication-plan';
import type { Checked } from './validation';

/** Compiles the values of `query` authentication (language 4.3). */
export const planQuery = (
  { query, path }: Extract<Authentication, { type: 'query' }>,
  { functions, known: { attr = new Map() } }: Scope,
): Checked<PlannedAuthentication<QueryPlan>> =>
  pipe(
    compileAdded(query, path, 'attr', attr, functions),
    E.map((evaluate) => ({
      plan: {
        type: 'query',
        values: (request) => {
          const { values, secrets } = evaluate({ attr, ...request });
          return { headers: {}, query: queryPairs(values), secrets };
        },
      },
      secrets: [],
    })),
  );
