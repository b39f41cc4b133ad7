/** What a preview of a configuration shows. */
import type { ToldError } from '../errors/told-error';
import type { Json } from '../model';

export interface Preview {
  readonly jobs: readonly JobPreview[];
}

export interface JobPreview {
  readonly id: string;
  readonly endpoint: string;
  readonly dataType: string;
  readonly parent?: string;
  readonly state: 'previewed' | 'notReached' | 'failed';
  readonly reason?: string;
  readonly error?: ToldError;
  readonly pages: readonly PagePreview[];
  readonly tables: readonly TablePreview[];
}

export interface TablePreview {
  readonly name: string;
  readonly parent?: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly Json[])[];
}

export interface PagePreview {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly bytes: number;
    readonly milliseconds: number;
    readonly isCut: boolean;
  };
  readonly found: {
    readonly path: string;
    readonly how: 'configured' | 'detected';
    readonly candidates: readonly { readonly path: string; readonly count: number }[];
  };
  readonly items: readonly Json[];
  readonly count: number;
  readonly next: { readonly request?: { readonly method: string; readonly url: string }; readonly because: string };
  readonly more: 'yes' | 'no' | 'unknown';
  readonly moreBecause: string;
}
