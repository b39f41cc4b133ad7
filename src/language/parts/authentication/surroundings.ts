import type { Checked } from '../../codec/checked';
import type { Codec } from '../../codec/codec';
import type { Finding, Path } from '../../codec/finding';

/** What a type of authentication may take from elsewhere in the configuration; a fault stands where the value belongs. */
export interface Surroundings {
  /** The value of the first of these keys of `config` that is not blank, as a string. Where all are, a fault names the last. */
  readonly attribute: (...names: readonly [string, ...string[]]) => Checked<string, Finding>;
  /** Whatever stands at a place, for example `['api', 'query']`, read by a codec. */
  readonly at: <A>(path: Path, codec: Codec<A>) => Checked<A, Finding>;
  /**
   * `authorization.oauth_api.credentials` (docs/language/configuration.md#authorization), all of which must be there.
   *
   * @param data reads the string in `#data`
   */
  readonly oauth: <A>(data: Codec<A>) => Checked<OauthCredentials<A>, Finding>;
}

/** The OAuth credentials that the host of a run gives it. */
export interface OauthCredentials<D = string> {
  readonly data: D;
  readonly appKey: string;
  readonly appSecret: string;
}
