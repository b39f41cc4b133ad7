/** The SSH server that requests go through (docs/language/configuration.md#ssh-proxy). */
export interface SshServer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** The private key in any form that OpenSSH writes, without a passphrase. */
  readonly privateKey: string;
}

/** Waits so many milliseconds; fails when the signal is aborted. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
