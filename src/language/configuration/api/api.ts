import * as t from 'io-ts';
import { isBlank } from '../../../core/json/scalars';
import type { Finding, Path } from '../../codec/finding';
import { authentication, isOldPlaceUsed } from '../authentication';
import type { Around } from '../authentication';
import { baseUrl } from '../../codec/values';
import { codec, expected, map, noting } from '../../codec/codec';
import type { Codec, Input } from '../../codec/codec';
import type { Api } from '../configuration';
import { http } from './http';
import { pagination } from '../pagination';
import type { Parts } from '../../parts/parts';
import { anything, isMissing, text, valueOf } from '../../codec/primitives';
import { always, record, required, withDefault } from '../../codec/record';
import { unknownKey } from '../../codec/unknown-key';
import { retry } from './retry';

/**
 * A PEM string (docs/language/requests.md#tls): a missing value, `null` and the empty string are absent; anything else
 * must be a string.
 */
const certificate: Codec<string | undefined> = codec('Certificate', { type: ['string', 'null'] }, (input, context) => {
  if (isMissing(input) || input === '') return t.success(undefined);
  return typeof input === 'string' ? t.success(input) : expected('a certificate as a PEM string', input, context);
});

/** `api.query` is an old place for `api.authentication.query`. */
function queryNotes(api: Input, path: Path, parts: Parts): readonly Finding[] {
  if (isBlank(valueOf(api, 'query'))) return [];
  const message = isOldPlaceUsed(valueOf(api, 'authentication'), 'query', parts)
    ? 'deprecated: write it as api.authentication.query'
    : 'has no effect here; parameters of every request are written as api.http.defaultOptions.params';
  return [{ path: [...path, 'query'], message }];
}

/** Returns the keys of `api` (docs/language/configuration.md#api). */
export const apiFields = (around: Around) => ({
  baseUrl: required(baseUrl, 'the base address of the API, for example "https://api.example.com/v1"', {
    about: 'The URL of the API, or an expression.',
    example: 'https://api.example.com/v1',
  }),
  name: withDefault(text, 'generic', {
    about: 'A name, for [buckets](tables.md#files-and-buckets).',
    example: 'ships',
  }),
  http: always(http(around.parts), {
    about: '[Settings](requests.md#time-outs) of all requests.',
    example: { headers: { Accept: 'application/json' } },
  }),
  caCertificate: always(certificate, {
    about: '[Certificates](requests.md#tls) to trust.',
    example: '-----BEGIN CERTIFICATE-----…',
  }),
  '#clientCertificate': always(certificate, {
    about: 'The client certificate and its key.',
    example: '-----BEGIN CERTIFICATE-----…',
  }),
  retryConfig: always(retry, {
    about: '[Retries](retries.md).',
    example: { maxRetries: 5 },
  }),
  authentication: always(authentication(around), {
    about: 'The login.',
    example: { type: 'basic' },
  }),
  pagination: always(pagination(around.parts), {
    about: 'The next page.',
    example: { method: 'pagenum' },
  }),
  query: always(anything, {
    about: 'The old place of `authentication.query`.',
    example: { key: { attr: '#key' } },
    isOld: true,
  }),
});

/** `api` (docs/language/configuration.md#api). */
export const api = (around: Around): Codec<Api> =>
  noting(
    map(
      'Api',
      record(
        'ApiAsWritten',
        apiFields(around),
        unknownKey({
          params: 'parameters of every request are written as api.http.defaultOptions.params',
          rules: 'write it as api.http.rules',
          api: 'its content belongs to api itself',
          clientCertificate: 'write it as "#clientCertificate"',
          '#caCertificate': 'write it as "caCertificate"',
        }),
      ),
      (written) => ({
        baseUrl: written.baseUrl,
        name: written.name,
        http: { ...written.http, cookies: written.http.cookies || written.authentication?.keepsCookies === true },
        retry: written.retryConfig,
        ...(written.caCertificate === undefined ? {} : { caCertificate: written.caCertificate }),
        ...(written['#clientCertificate'] === undefined ? {} : { clientCertificate: written['#clientCertificate'] }),
        ...(written.authentication === undefined ? {} : { authentication: written.authentication }),
        pagination: written.pagination,
      }),
    ),
    (input, path) => queryNotes(input, path, around.parts),
  );
