/** A login by a person, for runs that cannot log in by themselves. */
import { setTimeout as delay } from 'node:timers/promises';
import { FatalError } from '../../core/errors/errors';
import { loginsOf } from '../extract';
import { decodeLogin } from '../../http/body/decode';
import { createSharedLimits } from '../../http/rates/limit';
import { createSshTunnel } from '../../http/transport/ssh-tunnel';
import { logEvents } from '../../core/log';
import type { Log } from '../../core/log';
import { maskedError, maskedEvent } from '../../core/secrets/masking';
import type { Json, JsonObject } from '../../core/model';
import type { IterationPlan } from '../../plan/plan';
import { checkTransport, prepare } from '../validate';
import type { ValidateOptions } from '../validate';
import { Secrets } from '../../core/secrets/secrets';
import { senderOf, connectionsFor } from './sessions';
import type { TransportChoice } from './sessions';
import { credentialStore } from '../state/kept-credentials';
import type { SaveState } from '../state/kept-credentials';
import type { Configuration } from '#written';

/** The options of such a login. */
export interface LoginOptions extends ValidateOptions, TransportChoice {
  /** Is called with instructions for the person: a sentence, or an address to open. */
  readonly print: (text: string) => void;
  /** Receives the state with the values of the login: it must be stored, and is the option `state` of later runs. */
  readonly onCredentials: SaveState;
  /** The state after the last run or login. */
  readonly state?: JsonObject;
  /** The port on 127.0.0.1 that the browser is redirected to; default: any free port. */
  readonly port?: number;
  /** The seconds that the person has; default 600. */
  readonly timeoutSeconds?: number;
  readonly signal?: AbortSignal;
  readonly logger?: Log;
}

const TIMEOUT_SECONDS = 600;

/**
 * Lets a person log in if the authentication of a configuration needs it (docs/command.md#login), once for each account.
 *
 * @returns the number of logins
 * @throws ConfigurationError before any request, also if no person is needed; FatalError LOGIN_FAILED; the reason of `signal`
 * @example await logIn(config, { print: console.error, onCredentials: (state) => save(state) });
 */
export async function logIn(config: Json | Configuration, options: LoginOptions): Promise<number> {
  const { state = {}, onCredentials, timeoutSeconds = TIMEOUT_SECONDS, components = [], signal, logger } = options;
  const { planned, secrets: known } = prepare(config, options);
  checkTransport(planned, options);
  const byLogin = new Map(
    planned.iterations.flatMap((plan) => {
      const { keeps, logIn: ask } = plan.authentication ?? {};
      return keeps === undefined || ask === undefined ? [] : [[keeps, { plan, ask }] as const];
    }),
  );
  if (byLogin.size === 0) throw new FatalError('CONFIG_INVALID', NO_LOGIN);
  const secrets = new Secrets(known);
  const tunnel = planned.sshProxy === undefined ? undefined : createSshTunnel(planned.sshProxy);
  const log = logger === undefined ? undefined : logEvents(logger);
  const store = credentialStore(state, loginsOf(planned), onCredentials);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(tooLate(timeoutSeconds)), timeoutSeconds * 1000);
  const ending = signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]);
  const withSender = async ({ plan, ask }: Person): Promise<void> => {
    secrets.add(...plan.secrets);
    const connections = connectionsFor(plan.http, options, { tunnel });
    const sender = senderOf(
      plan.http,
      {
        connections,
        limits: createSharedLimits(),
        settings: { ...options, middleware: components.filter((part) => part.kind === 'middleware') },
      },
      { report: (event) => log?.(maskedEvent(event, secrets)), secrets },
    );
    try {
      await ask({
        send: sender.logins,
        decode: decodeLogin(secrets),
        secrets,
        store,
        print: options.print,
        wait: (milliseconds) => waited(milliseconds, ending),
        signal: ending,
        port: options.port ?? 0,
      });
    } finally {
      await sender.close();
      await connections.close();
    }
  };
  try {
    for (const person of byLogin.values()) await withSender(person);
    return byLogin.size;
  } catch (error) {
    throw maskedError(ending.aborted ? ending.reason : error, secrets);
  } finally {
    clearTimeout(timer);
    tunnel?.close();
  }
}

interface Person {
  readonly plan: IterationPlan;
  readonly ask: NonNullable<NonNullable<IterationPlan['authentication']>['logIn']>;
}

const waited = (milliseconds: number, signal: AbortSignal): Promise<void> => delay(milliseconds, undefined, { signal });

const tooLate = (seconds: number): FatalError =>
  new FatalError(
    'LOGIN_FAILED',
    `headwater login: Nobody has logged in within ${seconds} seconds. Run it again; --timeout gives more time.`,
  );

const NO_LOGIN =
  'The configuration needs no person to log in: api.authentication is not of type "oauth2" with the grant ' +
  '"authorization_code" or "device_code". Run it with "headwater run".';
