/** What a person writes, as types; made from the definitions by `npm run docs`. */

/** Names an API, and what to extract from it. */
export type Configuration = Bare | Wrapped | Extending;

/** The names of the parts of Headwater, by kind. A registry that lacks one of them does not compile. */
export interface PartNames {
  readonly authentication:
    | 'apiKey'
    | 'basic'
    | 'bearer'
    | 'digest'
    | 'jwt'
    | 'login'
    | 'oauth10'
    | 'oauth2'
    | 'oauth20'
    | 'oauth20.login'
    | 'query'
    | 'session'
    | 'signature';
  readonly format: 'csv' | 'json' | 'jsonl' | 'text' | 'xlsx' | 'xml';
  readonly function:
    | 'base64_decode'
    | 'base64_encode'
    | 'coalesce'
    | 'concat'
    | 'date'
    | 'hash'
    | 'hash_hmac'
    | 'ifempty'
    | 'implode'
    | 'jwt'
    | 'md5'
    | 'now'
    | 'rawurlencode'
    | 'regex'
    | 'replace'
    | 'sha1'
    | 'split'
    | 'sprintf'
    | 'strtotime'
    | 'time'
    | 'urlencode'
    | 'uuid';
  readonly pagination:
    | 'connection'
    | 'cursor'
    | 'keyset'
    | 'offset'
    | 'pagenum'
    | 'response.link'
    | 'response.param'
    | 'response.url'
    | 'zendesk.response.url';
  readonly sink: 'csv' | 'duckdb' | 'nats' | 'ndjson' | 'parquet' | 'postgres' | 'sqlite';
}

export interface Api {
  /** The base address of the API, or a function that gives it. Endpoints of jobs are relative to it. */
  readonly baseUrl: string | { readonly [key: string]: unknown } | Reference;
  /** A name for the API. It has no effect. */
  readonly name?: string | Reference;
  /** How requests travel: headers, time-outs, limits, and how answers are read. */
  readonly http?: {
    /** Headers of every request of a job. Those of `config.http.headers`, of `defaultOptions` and of the job win over them. */
    readonly headers?: { readonly [key: string]: Expression };
    /** What all requests of jobs have unless the job says otherwise. */
    readonly defaultOptions?: {
      /** Headers of every request of a job. They win over those of `http.headers`; those of the job win over them. */
      readonly headers?: { readonly [key: string]: Expression };
      /** Parameters of all requests of jobs. Those of a job win over them. */
      readonly params?: { readonly [key: string]: Expression };
      /** The method of jobs that name none. Default: GET. */
      readonly method?: 'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | Reference;
    };
    /** Headers that `config.http.headers` must give. */
    readonly requiredHeaders?: readonly (string | Reference)[];
    /** Statuses of answers that are read as if they were data, and not as errors. */
    readonly ignoreErrors?: readonly (number | Reference)[];
    /** How long a connection may take; 0 is no limit. Unit: seconds. */
    readonly connectTimeout?: number;
    /** How long a request may take, its answer included; 0 is no limit. Unit: seconds. */
    readonly requestTimeout?: number;
    /** Hosts, beside that of the base URL, that credentials may be sent to. */
    readonly allowedHosts?: readonly (string | Reference)[];
    /** Whether cookies that responses set, those of logins included, are sent with later requests of the same run. Default: false. */
    readonly cookies?: boolean;
    /** How the bodies of answers are read, for jobs that do not say. Without it they are JSON, or what their content type names. */
    readonly format?: Format;
    /** How many requests may be under way at once. Unit: requests. Default: no limit. */
    readonly maxRequests?: number | Reference;
    /** How many requests to one host and port may be under way at once. Unit: requests. Default: no limit. */
    readonly maxRequestsPerOrigin?: number | Reference;
    /** How many requests may start in a time. Several may stand in an array; all of them count. */
    readonly rateLimit?:
      | {
          /** How many requests may start in `seconds`. Unit: requests. */
          readonly requests?: number | Reference;
          /** The time in which they may start. Unit: seconds. */
          readonly seconds?: number | Reference;
          /** How many may start at once, if fewer than `requests`. Unit: requests. Default: `requests`. */
          readonly burst?: number | Reference;
          /** Headers of answers that say how many requests are left, and until when. */
          readonly headers?: {
            /** The header that says how many requests are left. */
            readonly remaining?: string | Reference;
            /** The header that says until when that counts: seconds, a date, or a Unix timestamp. */
            readonly reset?: string | Reference;
          };
          /** A pattern of paths from the host on: only requests to these count. `*` stands for one part, `**` for any number. */
          readonly path?: string | Reference;
        }
      | readonly {
          /** How many requests may start in `seconds`. Unit: requests. */
          readonly requests?: number | Reference;
          /** The time in which they may start. Unit: seconds. */
          readonly seconds?: number | Reference;
          /** How many may start at once, if fewer than `requests`. Unit: requests. Default: `requests`. */
          readonly burst?: number | Reference;
          /** Headers of answers that say how many requests are left, and until when. */
          readonly headers?: {
            /** The header that says how many requests are left. */
            readonly remaining?: string | Reference;
            /** The header that says until when that counts: seconds, a date, or a Unix timestamp. */
            readonly reset?: string | Reference;
          };
          /** A pattern of paths from the host on: only requests to these count. `*` stands for one part, `**` for any number. */
          readonly path?: string | Reference;
        }[];
    /** What is done with answers that look like this, by status, header and body. The first rule that fits counts. */
    readonly rules?: readonly {
      /** What the response looks like: all that is given has to hold. */
      readonly when: {
        /** The status, or several. `"5xx"` stands for all from 500 to 599. */
        readonly status?: number | string | readonly (number | string | Reference)[] | Reference;
        /** The header that is looked at. */
        readonly header?: string | Reference;
        /** The path in the body of the value that is looked at. */
        readonly field?: string | Reference;
        /** The value of the field or header, or several of which it is one. Numbers equal strings of them. Default: there is a value. */
        readonly is?: string | number | boolean | readonly (string | number | boolean | Reference)[] | Reference;
        /** A regular expression (RE2) that finds something in the value of the field or header; without these, in the body. */
        readonly matches?: string | Reference;
      };
      /** What is done: the request is tried again, the pagination ends, the response counts as no items, the run fails, or the credentials are renewed. */
      readonly do: 'retry' | 'stop' | 'skip' | 'fail' | 'renew' | Reference;
      /** What the error says, where the rule leads to one. */
      readonly message?: string | Reference;
    }[];
  };
  /** Certificates, as PEM, that the server of the API may be signed by, in place of those that are known. */
  readonly caCertificate?: string | null | Reference;
  /** The certificate of the client and its private key, as PEM. */
  readonly '#clientCertificate'?: string | null | Reference;
  /** Which failures are tried again, how often, and when. */
  readonly retryConfig?: {
    /** How often a failed request is tried again. Unit: retries. */
    readonly maxRetries?: number | Reference;
    /** Which answers are tried again, and which header says when. */
    readonly http?: {
      /** The header of an answer that says when to try again: seconds, a date, or a Unix timestamp. */
      readonly retryHeader?: string | Reference;
      /** Statuses that are tried again. An empty array means none. */
      readonly codes?: readonly (number | Reference)[];
    };
    /** Which network failures are tried again, by the numbers that curl gives them. */
    readonly curl?: {
      /** Network failures that are tried again: 6 no such host, 7 no connection, 28 time-out, 35 TLS, 52 empty answer, 56 connection reset. */
      readonly codes?: readonly (number | Reference)[];
    };
    /** The longest wait before a retry; 0 is no limit. Unit: seconds. Default: 120. */
    readonly maxDelay?: number | Reference;
    /** The share of each wait that is random, so that clients do not come back together. Default: 0.25. */
    readonly jitter?: number | Reference;
    /** How long a host that was never reached is tried; 0 is no limit. Unit: seconds. Default: 20. */
    readonly firstConnection?: number | Reference;
    /** The old spelling of `http.retryHeader`. */
    readonly headerName?: string;
    /** The old spelling of `http.codes`. */
    readonly httpCodes?: readonly (number | Reference)[];
    /** The old spelling of `curl.codes`. */
    readonly curlCodes?: readonly (number | Reference)[];
  };
  /** How requests prove who sends them. */
  readonly authentication?: Authentication;
  /** How one page of answers leads to the next. */
  readonly pagination?: Pagination;
  /** The old place of `authentication.query`. */
  readonly query?: unknown;
}

export type Authentication =
  | AuthenticationApiKey
  | AuthenticationBasic
  | AuthenticationBearer
  | AuthenticationDigest
  | AuthenticationJwt
  | AuthenticationLogin
  | AuthenticationOauth10
  | AuthenticationOauth2
  | AuthenticationOauth20
  | AuthenticationOauth20Login
  | AuthenticationQuery
  | AuthenticationSession
  | AuthenticationSignature;

/** Sends a key with each request, in a header or in the query. */
export interface AuthenticationApiKey {
  /** The type. */
  readonly type: 'apiKey';
  /** The name of the header or of the parameter. */
  readonly name: string | Reference;
  /** The key. It is masked wherever Headwater prints something. */
  readonly key: string | { readonly [key: string]: unknown };
  /** Where it is sent. */
  readonly in?: 'header' | 'query' | Reference;
}

/** Sends a name and a password with each request. */
export interface AuthenticationBasic {
  /** The type. */
  readonly type: 'basic';
}

/** Sends a token with each request. */
export interface AuthenticationBearer {
  /** The type. */
  readonly type: 'bearer';
  /** The token. It is masked wherever Headwater prints something. */
  readonly token: string | { readonly [key: string]: unknown };
  /** The word before the token. Default: `Bearer`. */
  readonly scheme?: string | Reference;
}

/** Answers the challenge of the API with a hash of name and password, anew for each request. */
export interface AuthenticationDigest {
  /** The type. */
  readonly type: 'digest';
}

/** Signs a JSON Web Token with a key, and sends it, or exchanges it for an access token. */
export interface AuthenticationJwt {
  /** The type. */
  readonly type: 'jwt';
  /** How the token is signed (RFC 7518). */
  readonly algorithm:
    | 'HS256'
    | 'HS384'
    | 'HS512'
    | 'RS256'
    | 'RS384'
    | 'RS512'
    | 'PS256'
    | 'PS384'
    | 'PS512'
    | 'ES256'
    | 'ES384'
    | 'ES512'
    | 'EdDSA'
    | Reference;
  /** A secret that both sides share (`HS…`), or a private key as PEM; the JSON file of a Google service account may stand for one. */
  readonly key: string | { readonly [key: string]: unknown };
  /** How a shared secret is written: as text, or as bytes in hexadecimal digits or in base64. */
  readonly keyEncoding?: 'utf8' | 'hex' | 'base64' | Reference;
  /** The header `kid`, by which the API finds the key. */
  readonly keyId?: string | Reference;
  /** The claims, such as `iss`, `sub`, `aud` and `scope`: literals, and expressions with `attr`. Default: {}. */
  readonly claims?: { readonly [key: string]: unknown };
  /** More members of the header of the token, likewise. Default: {"typ": "JWT"}. */
  readonly header?: { readonly [key: string]: unknown };
  /** How long a signed token is good for: `exp` is so much later than `iat`, the moment it was signed. Unit: seconds. */
  readonly lifetime?: number | Reference;
  /** Whether each token has an id of its own, the claim `jti`. Default: false. */
  readonly jti?: boolean;
  /** The word before the token in the header. */
  readonly scheme?: string | Reference;
  /** Where an access token is given for the signed one. Absent: the signed one is sent itself. */
  readonly exchange?: {
    /** Where tokens are given: a path, a URL (which may name another host), or an expression with `attr`. */
    readonly tokenEndpoint: string | { readonly [key: string]: unknown } | Reference;
    /** What the signed token is: the grant itself (`assertion`, RFC 7523 section 2.1), or the proof of a client (`client_assertion`, section 2.2, `private_key_jwt`) that asks for `client_credentials`. */
    readonly as?: 'grant' | 'client' | Reference;
    /** What the access token should be good for; several words with spaces. Google wants `scope` among `claims`. */
    readonly scope?: string | Reference;
    /** More parameters of the form: scalars, and expressions with `attr`. Default: {}. */
    readonly params?: { readonly [key: string]: unknown };
  };
  /** How long before its end the token that is sent is renewed. Unit: seconds. Default: a tenth of its life, at most 30 seconds. */
  readonly margin?: number | Reference;
  /** Statuses which say that the token is stale: it is renewed once, and the request is repeated once. Default: [401]. */
  readonly refusedStatusCodes?: readonly (number | Reference)[];
}

/** Asks for temporary credentials, adds them to all other requests, and renews them in time. */
export interface AuthenticationLogin {
  /** The type. */
  readonly type: 'login';
  /** The request that logs in. */
  readonly loginRequest: {
    /** Where the login goes: a path, a URL (which may name another host), or an expression with `attr`. */
    readonly endpoint: string | { readonly [key: string]: unknown } | Reference;
    /** How the parameters travel: in the query (`GET`), as a JSON body (`POST`) or as a form (`FORM`). */
    readonly method?: 'GET' | 'POST' | 'FORM' | Reference;
    /** The parameters: scalars, and expressions with `attr`. Default: {}. */
    readonly params?: { readonly [key: string]: unknown };
    /** Whether arrays in `params` are searched for expressions. Default: false. */
    readonly functionsInLists?: boolean;
    /** The headers: scalars, and expressions with `attr`. The login has no other headers. Default: {}. */
    readonly headers?: { readonly [key: string]: unknown };
  };
  /** How the response of the login is read. As text, it is referred to as `data`. */
  readonly format?: 'json' | 'text' | Reference;
  /** What the login adds to all other requests. Default: nothing. */
  readonly apiRequest?: {
    /** Headers of all other requests: a string is a path in the response of the login, an object is an expression with `response`, `responseHeader` and `attr`. Default: {}. */
    readonly headers?: { readonly [key: string]: unknown };
    /** Parameters in the URL of all other requests, likewise. Default: {}. */
    readonly query?: { readonly [key: string]: unknown };
  };
  /** How long the credentials live: a number of seconds, or an object that says where the response has their end. 0 logs in before each request. Unit: seconds. Default: as long as the run. */
  readonly expires?:
    | number
    | {
        /** The path in the response of the login that leads to the end of the credentials. */
        readonly response: string | Reference;
        /** Whether a lifetime stands there, counted from the login, and no date or Unix time. Default: false. */
        readonly relative?: boolean;
        /** What a number there counts: seconds (`s`) or milliseconds (`ms`). A date needs none. Default: s, with a warning where the number looks like milliseconds. */
        readonly unit?: 's' | 'ms' | Reference;
        /** How long before their end the credentials are renewed. Unit: seconds. Default: a tenth of their life, at most 30 seconds. */
        readonly margin?: number | Reference;
      }
    | {
        /** The header of the response of the login that has the end of the credentials. */
        readonly responseHeader: string | Reference;
        /** Whether a lifetime stands there, counted from the login, and no date or Unix time. Default: false. */
        readonly relative?: boolean;
        /** What a number there counts: seconds (`s`) or milliseconds (`ms`). A date needs none. Default: s, with a warning where the number looks like milliseconds. */
        readonly unit?: 's' | 'ms' | Reference;
        /** How long before their end the credentials are renewed. Unit: seconds. Default: a tenth of their life, at most 30 seconds. */
        readonly margin?: number | Reference;
      }
    | {
        /** Where the response of the login has a JSON Web Token, whose claim `exp` is the end: a path, or `{"responseHeader": name}`. */
        readonly jwt:
          | string
          | {
              /** The path in the response of the login. */
              readonly response: string | Reference;
            }
          | {
              /** The name of a header of that response. */
              readonly responseHeader: string | Reference;
            }
          | Reference;
        /** How long before their end the credentials are renewed. Unit: seconds. Default: a tenth of their life, at most 30 seconds. */
        readonly margin?: number | Reference;
      }
    | Reference;
  /** How long before their end the credentials are renewed. Unit: seconds. Default: a tenth of their life, at most 30 seconds. */
  readonly margin?: number | Reference;
  /** Statuses which say that the credentials are stale: they are renewed once, and the request is repeated once. Default: [401]. */
  readonly refusedStatusCodes?: readonly (number | Reference)[];
  /** The request that gives new credentials for what `persist` has kept, in place of `loginRequest`, as long as the API takes it. */
  readonly refreshRequest?: {
    /** Where the login goes: a path, a URL (which may name another host), or an expression with `attr`. */
    readonly endpoint: string | { readonly [key: string]: unknown } | Reference;
    /** How the parameters travel: in the query (`GET`), as a JSON body (`POST`) or as a form (`FORM`). */
    readonly method?: 'GET' | 'POST' | 'FORM' | Reference;
    /** The parameters: scalars, and expressions with `attr`. Default: {}. */
    readonly params?: { readonly [key: string]: unknown };
    /** Whether arrays in `params` are searched for expressions. Default: false. */
    readonly functionsInLists?: boolean;
    /** The headers: scalars, and expressions with `attr`. The login has no other headers. Default: {}. */
    readonly headers?: { readonly [key: string]: unknown };
  };
  /** What of the response the next login needs, by names of your choice: it is `{"state": name}` in `loginRequest` and `refreshRequest`. */
  readonly persist?: {
    readonly [key: string]:
      | string
      | {
          /** The path in the response of the login. */
          readonly response: string | Reference;
        }
      | {
          /** The name of a header of that response. */
          readonly responseHeader: string | Reference;
        }
      | Reference;
  };
}

/** Signs each request by OAuth 1.0 with HMAC-SHA1. */
export interface AuthenticationOauth10 {
  /** The type. */
  readonly type: 'oauth10';
}

/** Asks an OAuth 2.0 server for an access token, sends it as a bearer token, and renews it in time. */
export interface AuthenticationOauth2 {
  /** The type. */
  readonly type: 'oauth2';
  /** Where tokens are given: a path, a URL (which may name another host), or an expression with `attr`. */
  readonly tokenEndpoint: string | { readonly [key: string]: unknown } | Reference;
  /** What the token is given for: the client alone, `username` and `#password`, or `#refreshToken` of `config`; or a person who logs in with `headwater login`, in a browser of the same machine (`authorization_code`) or of any other (`device_code`). */
  readonly grant?:
    'client_credentials' | 'password' | 'refresh_token' | 'authorization_code' | 'device_code' | Reference;
  /** What the token should be good for, as the API names it; several words with spaces. */
  readonly scope?: string | Reference;
  /** Where a person logs in, for the grant `authorization_code`: as `tokenEndpoint`. */
  readonly authorizationEndpoint?: string | { readonly [key: string]: unknown } | Reference;
  /** Where codes for devices are given, for the grant `device_code`: as `tokenEndpoint`. */
  readonly deviceAuthorizationEndpoint?: string | { readonly [key: string]: unknown } | Reference;
  /** More parameters of the address where a person logs in: scalars, and expressions with `attr`. Default: {}. */
  readonly authorizationParams?: { readonly [key: string]: unknown };
  /** How the client proves itself: in the header `Authorization` (`basic`), in the form (`body`), or by its id alone (`none`), without a secret. */
  readonly clientAuthentication?: 'basic' | 'body' | 'none' | Reference;
  /** More parameters of the form, such as `audience`: scalars, and expressions with `attr`. Default: {}. */
  readonly params?: { readonly [key: string]: unknown };
  /** How long before its end the token is renewed. Unit: seconds. Default: a tenth of its life, at most 30 seconds. */
  readonly margin?: number | Reference;
  /** Statuses which say that the token is stale: it is renewed once, and the request is repeated once. Default: [401]. */
  readonly refusedStatusCodes?: readonly (number | Reference)[];
}

/** Adds headers and parameters that are computed from an OAuth 2.0 token, and from each request. */
export interface AuthenticationOauth20 {
  /** The type. */
  readonly type: 'oauth20';
  /** How `#data` is read: as the token itself (`text`), or as JSON with fields (`json`). */
  readonly format?: 'text' | 'json' | Reference;
  /** The headers: each value is a scalar, or an expression with `authorization`, `query` and `request`. Default: {}. */
  readonly headers?: { readonly [key: string]: unknown };
  /** The parameters of the URL, likewise. Default: {}. */
  readonly query?: { readonly [key: string]: unknown };
}

/** Logs in with the application and the tokens in `authorization`, and adds the result to all other requests. */
export interface AuthenticationOauth20Login {
  /** The type. */
  readonly type: 'oauth20.login';
  /** The request that logs in. */
  readonly loginRequest: {
    /** Where the login goes: a path, a URL (which may name another host), or an expression with `attr`. */
    readonly endpoint: string | { readonly [key: string]: unknown } | Reference;
    /** How the parameters travel: in the query (`GET`), as a JSON body (`POST`) or as a form (`FORM`). */
    readonly method?: 'GET' | 'POST' | 'FORM' | Reference;
    /** The parameters: scalars, and expressions with `attr`. Default: {}. */
    readonly params?: { readonly [key: string]: unknown };
    /** Whether arrays in `params` are searched for expressions. Default: false. */
    readonly functionsInLists?: boolean;
    /** The headers: scalars, and expressions with `attr`. The login has no other headers. Default: {}. */
    readonly headers?: { readonly [key: string]: unknown };
  };
  /** How the response of the login is read. As text, it is referred to as `data`. */
  readonly format?: 'json' | 'text' | Reference;
  /** What the login adds to all other requests. Default: nothing. */
  readonly apiRequest?: {
    /** Headers of all other requests: a string is a path in the response of the login, an object is an expression with `response`, `responseHeader` and `attr`. Default: {}. */
    readonly headers?: { readonly [key: string]: unknown };
    /** Parameters in the URL of all other requests, likewise. Default: {}. */
    readonly query?: { readonly [key: string]: unknown };
  };
  /** How long the credentials live: a number of seconds, or an object that says where the response has their end. 0 logs in before each request. Unit: seconds. Default: as long as the run. */
  readonly expires?:
    | number
    | {
        /** The path in the response of the login that leads to the end of the credentials. */
        readonly response: string | Reference;
        /** Whether a lifetime stands there, counted from the login, and no date or Unix time. Default: false. */
        readonly relative?: boolean;
        /** What a number there counts: seconds (`s`) or milliseconds (`ms`). A date needs none. Default: s, with a warning where the number looks like milliseconds. */
        readonly unit?: 's' | 'ms' | Reference;
        /** How long before their end the credentials are renewed. Unit: seconds. Default: a tenth of their life, at most 30 seconds. */
        readonly margin?: number | Reference;
      }
    | {
        /** The header of the response of the login that has the end of the credentials. */
        readonly responseHeader: string | Reference;
        /** Whether a lifetime stands there, counted from the login, and no date or Unix time. Default: false. */
        readonly relative?: boolean;
        /** What a number there counts: seconds (`s`) or milliseconds (`ms`). A date needs none. Default: s, with a warning where the number looks like milliseconds. */
        readonly unit?: 's' | 'ms' | Reference;
        /** How long before their end the credentials are renewed. Unit: seconds. Default: a tenth of their life, at most 30 seconds. */
        readonly margin?: number | Reference;
      }
    | {
        /** Where the response of the login has a JSON Web Token, whose claim `exp` is the end: a path, or `{"responseHeader": name}`. */
        readonly jwt:
          | string
          | {
              /** The path in the response of the login. */
              readonly response: string | Reference;
            }
          | {
              /** The name of a header of that response. */
              readonly responseHeader: string | Reference;
            }
          | Reference;
        /** How long before their end the credentials are renewed. Unit: seconds. Default: a tenth of their life, at most 30 seconds. */
        readonly margin?: number | Reference;
      }
    | Reference;
  /** How long before their end the credentials are renewed. Unit: seconds. Default: a tenth of their life, at most 30 seconds. */
  readonly margin?: number | Reference;
  /** Statuses which say that the credentials are stale: they are renewed once, and the request is repeated once. Default: [401]. */
  readonly refusedStatusCodes?: readonly (number | Reference)[];
  /** The request that gives new credentials for what `persist` has kept, in place of `loginRequest`, as long as the API takes it. */
  readonly refreshRequest?: {
    /** Where the login goes: a path, a URL (which may name another host), or an expression with `attr`. */
    readonly endpoint: string | { readonly [key: string]: unknown } | Reference;
    /** How the parameters travel: in the query (`GET`), as a JSON body (`POST`) or as a form (`FORM`). */
    readonly method?: 'GET' | 'POST' | 'FORM' | Reference;
    /** The parameters: scalars, and expressions with `attr`. Default: {}. */
    readonly params?: { readonly [key: string]: unknown };
    /** Whether arrays in `params` are searched for expressions. Default: false. */
    readonly functionsInLists?: boolean;
    /** The headers: scalars, and expressions with `attr`. The login has no other headers. Default: {}. */
    readonly headers?: { readonly [key: string]: unknown };
  };
  /** What of the response the next login needs, by names of your choice: it is `{"state": name}` in `loginRequest` and `refreshRequest`. */
  readonly persist?: {
    readonly [key: string]:
      | string
      | {
          /** The path in the response of the login. */
          readonly response: string | Reference;
        }
      | {
          /** The name of a header of that response. */
          readonly responseHeader: string | Reference;
        }
      | Reference;
  };
}

/** Adds parameters to the URL of each request, such as a key or a signature. */
export interface AuthenticationQuery {
  /** The type. */
  readonly type: 'query';
  /** The parameters: each value is a scalar, or an expression with `attr`, `query` (the parameters of the URL so far) and `request`. Default: none: it is required. */
  readonly query?: { readonly [key: string]: unknown };
}

/** Logs in, and sends the cookies that the login sets with all other requests. */
export interface AuthenticationSession {
  /** The type. */
  readonly type: 'session';
  /** The request that logs in. */
  readonly loginRequest: {
    /** Where the login goes: a path, a URL (which may name another host), or an expression with `attr`. */
    readonly endpoint: string | { readonly [key: string]: unknown } | Reference;
    /** How the parameters travel: in the query (`GET`), as a JSON body (`POST`) or as a form (`FORM`). */
    readonly method?: 'GET' | 'POST' | 'FORM' | Reference;
    /** The parameters: scalars, and expressions with `attr`. Default: {}. */
    readonly params?: { readonly [key: string]: unknown };
    /** Whether arrays in `params` are searched for expressions. Default: false. */
    readonly functionsInLists?: boolean;
    /** The headers: scalars, and expressions with `attr`. The login has no other headers. Default: {}. */
    readonly headers?: { readonly [key: string]: unknown };
  };
  /** The path of the page where people log in. A response that a redirect to it has led to says that the session is over. */
  readonly loginPage?: string | Reference;
  /** How the response of the login is read, for `apiRequest` and `expires`. Most are pages, of which nothing is needed. */
  readonly format?: 'text' | 'json' | Reference;
  /** What the login adds to all other requests. Default: nothing. */
  readonly apiRequest?: {
    /** Headers of all other requests: a string is a path in the response of the login, an object is an expression with `response`, `responseHeader` and `attr`. Default: {}. */
    readonly headers?: { readonly [key: string]: unknown };
    /** Parameters in the URL of all other requests, likewise. Default: {}. */
    readonly query?: { readonly [key: string]: unknown };
  };
  /** How long the credentials live: a number of seconds, or an object that says where the response has their end. 0 logs in before each request. Unit: seconds. Default: as long as the run. */
  readonly expires?:
    | number
    | {
        /** The path in the response of the login that leads to the end of the credentials. */
        readonly response: string | Reference;
        /** Whether a lifetime stands there, counted from the login, and no date or Unix time. Default: false. */
        readonly relative?: boolean;
        /** What a number there counts: seconds (`s`) or milliseconds (`ms`). A date needs none. Default: s, with a warning where the number looks like milliseconds. */
        readonly unit?: 's' | 'ms' | Reference;
        /** How long before their end the credentials are renewed. Unit: seconds. Default: a tenth of their life, at most 30 seconds. */
        readonly margin?: number | Reference;
      }
    | {
        /** The header of the response of the login that has the end of the credentials. */
        readonly responseHeader: string | Reference;
        /** Whether a lifetime stands there, counted from the login, and no date or Unix time. Default: false. */
        readonly relative?: boolean;
        /** What a number there counts: seconds (`s`) or milliseconds (`ms`). A date needs none. Default: s, with a warning where the number looks like milliseconds. */
        readonly unit?: 's' | 'ms' | Reference;
        /** How long before their end the credentials are renewed. Unit: seconds. Default: a tenth of their life, at most 30 seconds. */
        readonly margin?: number | Reference;
      }
    | {
        /** Where the response of the login has a JSON Web Token, whose claim `exp` is the end: a path, or `{"responseHeader": name}`. */
        readonly jwt:
          | string
          | {
              /** The path in the response of the login. */
              readonly response: string | Reference;
            }
          | {
              /** The name of a header of that response. */
              readonly responseHeader: string | Reference;
            }
          | Reference;
        /** How long before their end the credentials are renewed. Unit: seconds. Default: a tenth of their life, at most 30 seconds. */
        readonly margin?: number | Reference;
      }
    | Reference;
  /** How long before their end the credentials are renewed. Unit: seconds. Default: a tenth of their life, at most 30 seconds. */
  readonly margin?: number | Reference;
  /** Statuses which say that the credentials are stale: they are renewed once, and the request is repeated once. Default: [401]. */
  readonly refusedStatusCodes?: readonly (number | Reference)[];
}

/** Signs each request by HMAC with a secret key, and sends the signature in a header. */
export interface AuthenticationSignature {
  /** The type. */
  readonly type: 'signature';
  /** What is signed, in this order: strings, and expressions with `attr`, `query`, `request` and `signature` (`timestamp`, `nonce`). */
  readonly parts: readonly unknown[];
  /** What stands between two parts. */
  readonly separator?: string | Reference;
  /** The hash function of the HMAC, and of `bodyHash`. */
  readonly algorithm?: 'sha256' | 'sha1' | 'sha384' | 'sha512' | 'md5' | Reference;
  /** How the key is written: as text, or as bytes in hexadecimal digits or in base64. */
  readonly keyEncoding?: 'utf8' | 'hex' | 'base64' | Reference;
  /** How the signature is written, and `bodyHash`. Hexadecimal digits are lowercase. */
  readonly encoding?: 'hex' | 'base64' | 'base64url' | Reference;
  /** The header that has the signature. */
  readonly header?: string | Reference;
  /** The text of that header, with `{signature}`, and `{timestamp}`, `{nonce}` and `{keyId}` where it has them. */
  readonly template?: string | Reference;
  /** How the time is written: Unix `seconds` or `milliseconds`, `iso` (`2026-01-31T10:00:00.000Z`) or as in the header `Date` (`httpdate`). */
  readonly timestamp?: 'seconds' | 'milliseconds' | 'iso' | 'httpdate' | Reference;
  /** How the nonce is written: 32 hexadecimal digits (`hex`), or a `uuid`. */
  readonly nonce?: 'hex' | 'uuid' | Reference;
  /** More headers, each a scalar or an expression with the same contexts; `{"signature": "value"}` is the signature. Default: {}. */
  readonly headers?: { readonly [key: string]: unknown };
}

export interface Bare {
  /** The address of this schema, for editors. */
  readonly $schema?: string | Reference;
  /** The remote API. */
  readonly api: Api;
  /** What to extract, and attributes that expressions read. */
  readonly config: Config;
  /** One run for each entry, whose keys replace those of `config`. */
  readonly iterations?: readonly Iteration[];
  /** An SSH server through which all requests go. */
  readonly sshProxy?: {
    /** The host of the SSH server. */
    readonly host: string | Reference;
    /** Its port. */
    readonly port: number | Reference;
    /** The user. */
    readonly user: string | Reference;
    /** The private key, as PEM or in the format of OpenSSH. */
    readonly '#privateKey': string | Reference;
  };
  /** Signs every request for AWS. */
  readonly aws?: {
    /** Signs every request with AWS Signature Version 4. */
    readonly signature: {
      /** Whose signature it is, for which service and region. */
      readonly credentials: {
        /** The id of the access key. */
        readonly accessKeyId: string | Reference;
        /** The secret key. */
        readonly '#secretKey': string | Reference;
        /** The service, as AWS writes it in signatures. */
        readonly serviceName: string | Reference;
        /** The region. */
        readonly regionName: string | Reference;
      };
    };
  };
  /** Keeps answers for later runs: true, or an object with `ttl`. */
  readonly cache?:
    | boolean
    | {
        /** How long an answer is kept. Unit: seconds. */
        readonly ttl?: number | Reference;
      }
    | Reference;
  /** What a host gives to OAuth types: it stands beside `parameters`. */
  readonly authorization?: unknown;
  /** What to do. Only `run` is known. */
  readonly action?: 'run' | Reference;
  /** What a host prescribes: it stands beside `parameters`. */
  readonly image_parameters?: {
    /** The hosts that may be called at all; an empty array allows all. */
    readonly allowed_hosts?: readonly {
      /** A host that may be called. */
      readonly host: string | Reference;
      /** The scheme of the URL. Default: any. */
      readonly scheme?: string | Reference;
      /** The port. Default: any. */
      readonly port?: number | Reference;
      /** The beginning of the path. Default: any. */
      readonly endpoint?: string | Reference;
    }[];
  };
  /** Files that this one is laid upon: their paths from here. */
  readonly extends?: string | readonly (string | Reference)[] | Reference;
}

export interface ChildJob {
  /** The path that is requested, relative to the base URL, or a URL. In children it may have placeholders: `ships/{id}`. Default: required; `graphql` with the method `graphql`. */
  readonly endpoint?: string | Reference;
  /** Parameters of the request: its query, or the body of `POST` and `FORM`. Values may be expressions. */
  readonly params?: { readonly [key: string]: Expression };
  /** The method. `FORM` is a POST whose parameters are sent as a form, `graphql` one that [sends a document](graphql.md). Default: `api.http.defaultOptions.method`, or GET. */
  readonly method?: 'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'graphql' | Reference;
  /** Headers of the requests of this job. */
  readonly headers?: { readonly [key: string]: Expression };
  /** What is sent as a JSON body. The parameters are then sent as the query. */
  readonly body?: { readonly [key: string]: unknown } | readonly unknown[];
  /** With the method `graphql`: the document, a string or an array of its lines. */
  readonly query?: string | readonly (string | Reference)[];
  /** With the method `graphql`: the variables of the document. Values may be expressions. */
  readonly variables?: { readonly [key: string]: Expression };
  /** With the method `graphql`: which operation of the document is meant, where it has several. */
  readonly operationName?: string;
  /** Whether functions inside parameters that are arrays are evaluated. */
  readonly functionsInLists?: boolean;
  /** Whether placeholders in `params`, `variables` and `body` are filled in. */
  readonly placeholdersInParams?: boolean;
  /** In children: how many items of the parent share one request. Unit: items. */
  readonly batch?: number | Reference;
  /** What stands between the values in a string. */
  readonly batchSeparator?: string | Reference;
  /** What a parameter of a batch that is nothing but a placeholder becomes: a joined string, an array, or an array as the query repeats it or writes it with brackets. `repeat` and `brackets` write every array in the parameters of a job so, with or without a batch. */
  readonly batchStyle?: 'join' | 'list' | 'repeat' | 'brackets' | Reference;
  /** The path in the answer of the array of items, or an object with `path` and `delimiter`. Default: the only array of the answer. */
  readonly dataField?:
    | string
    | {
        /** The path in the answer of the array of items. */
        readonly path: string | Reference;
        /** What separates the keys of the path. */
        readonly delimiter?: string | Reference;
      }
    | Reference;
  /** The kind of the items: it names their table and their mapping. Default: the endpoint; that of `submit`, where the endpoint is a value of an answer. */
  readonly dataType?: string | Reference;
  /** What runs do to the rows that the table of the items has: `replace`, `append` or `merge`. Default: `config.load`. */
  readonly load?: 'replace' | 'append' | 'merge' | Reference;
  /** The name of the table of the items: letters, digits and `_`, at most 63 bytes. Default: made of `dataType`. */
  readonly tableName?: string | Reference;
  /** How the bodies of the answers are read. Default: as `api.http.format`. */
  readonly format?: Format;
  /** The columns of the key of the table, if it has no mapping. */
  readonly primaryKey?: string | readonly (string | Reference)[] | Reference;
  /** What destinations with tables do with objects and lists in items: `tables` makes columns of objects and tables of lists; `json` keeps each as one column of JSON; `struct`, in DuckDB and Parquet only, makes STRUCT and LIST columns of them. Default: as the destination does, usually `tables`. */
  readonly nested?: 'tables' | 'json' | 'struct' | Reference;
  /** Types of columns in typed tables, by the path of their values in an item. */
  readonly columnTypes?: { readonly [key: string]: string | Reference };
  /** Paths in an item of values that are kept as JSON text, in place of columns or child tables. */
  readonly responseFilter?: string | readonly (string | Reference)[] | Reference;
  /** What separates the keys of `responseFilter`. */
  readonly responseFilterDelimiter?: string | Reference;
  /** The path in an item of an array: each of its elements becomes an item, with the other fields of the item. */
  readonly unnest?:
    | string
    | {
        /** The path in an item of the array. */
        readonly path: string | Reference;
        /** What stands before the names of the other fields of the item. Default: parent_. */
        readonly prefix?: string | Reference;
      }
    | Reference;
  /** Fields that are added to each item; values may be expressions, with the context `item`. */
  readonly compute?: { readonly [key: string]: Expression };
  /** Conditions on the fields of an item, as in `recursionFilter`: only items that meet all of them are kept. */
  readonly filter?: string | readonly (string | Reference)[] | Reference;
  /** Conditions on the fields of an item: items that meet one of them are dropped. */
  readonly exclude?: string | readonly (string | Reference)[] | Reference;
  /** The path, or the paths, of the key of an item: of items with equal keys a call of the job keeps the first. */
  readonly unique?: string | readonly (string | Reference)[] | Reference;
  /** New names of fields, by their names in the item. */
  readonly rename?: { readonly [key: string]: string | Reference };
  /** Fields that items may lack, by their paths as `filter`, `unnest`, `rename` and the like name them: that no item has one is no mistake. */
  readonly optionalFields?: string | readonly (string | Reference)[] | Reference;
  /** Arrays of values by names: the job is requested once for each value, or for each combination. */
  readonly partitions?: { readonly [key: string]: readonly Expression[] | { readonly [key: string]: unknown } };
  /** A span of time that is requested in windows, one after another. */
  readonly window?: {
    /** Where the first window begins: a date, words of `strtotime`, Unix seconds, or an expression that gives one. */
    readonly from: string | number | { readonly [key: string]: unknown };
    /** Where the last window ends; the moment itself is no longer part of it. Default: when the run began. */
    readonly to?: string | number | { readonly [key: string]: unknown };
    /** How long a window is: a number of seconds, minutes, hours, days, weeks, months or years. */
    readonly step: string | Reference;
    /** How the moments are sent: a format as the function `now` has them, by name or in letters. Default: `date` for steps of days and more, else `ISO 8601`. */
    readonly format?: string | Reference;
    /** Whether the API takes the end of a window for a part of it: then the last day, minute, second or millisecond before it is sent, as the format has them. */
    readonly toIsInclusive?: boolean;
    /** The number of items of which the API gives no more: a window that has so many is requested again in halves. Unit: items. */
    readonly cap?: number | Reference;
    /** With `cap`: how short a window may become; one of this length that has so many items is an error. Default: a day, or a second where the format has times of day. */
    readonly smallest?: string | Reference;
  };
  /** Which scroller of `api.pagination` the job uses, if its method is `multiple`. Default: `api.pagination.default`. */
  readonly scroller?: string | Reference;
  /** Columns that are added to every row of the job. Values may be expressions. */
  readonly userData?: unknown;
  /** In children: what each placeholder of the endpoint stands for, a path in the item of the parent. */
  readonly placeholders?: {
    readonly [key: string]:
      | string
      | number
      | {
          readonly path: string | number | Reference;
          readonly function?: string | Reference;
          readonly args?: readonly Expression[];
        }
      | Reference;
  };
  /** In children: which items of the parent the child is called for. */
  readonly recursionFilter?: string | Reference;
  /** An id of the job. A later job with the same id replaces an earlier one. Default: a digest of the job. */
  readonly id?: string | Reference;
  /** How many pages a run of this job may have; then it fails. Unit: pages. Default: `config.requestLimit`. */
  readonly requestLimit?: number | Reference;
  /** How many requests of this job may start in a time. */
  readonly rateLimit?:
    | {
        /** How many requests may start in `seconds`. Unit: requests. */
        readonly requests?: number | Reference;
        /** The time in which they may start. Unit: seconds. */
        readonly seconds?: number | Reference;
        /** How many may start at once, if fewer than `requests`. Unit: requests. Default: `requests`. */
        readonly burst?: number | Reference;
        /** Headers of answers that say how many requests are left, and until when. */
        readonly headers?: {
          /** The header that says how many requests are left. */
          readonly remaining?: string | Reference;
          /** The header that says until when that counts: seconds, a date, or a Unix timestamp. */
          readonly reset?: string | Reference;
        };
      }
    | readonly {
        /** How many requests may start in `seconds`. Unit: requests. */
        readonly requests?: number | Reference;
        /** The time in which they may start. Unit: seconds. */
        readonly seconds?: number | Reference;
        /** How many may start at once, if fewer than `requests`. Unit: requests. Default: `requests`. */
        readonly burst?: number | Reference;
        /** Headers of answers that say how many requests are left, and until when. */
        readonly headers?: {
          /** The header that says how many requests are left. */
          readonly remaining?: string | Reference;
          /** The header that says until when that counts: seconds, a date, or a Unix timestamp. */
          readonly reset?: string | Reference;
        };
      }[];
  /** What is done with answers to this job that look like this. These rules come before `api.http.rules`. */
  readonly rules?: readonly {
    /** What the response looks like: all that is given has to hold. */
    readonly when: {
      /** The status, or several. `"5xx"` stands for all from 500 to 599. */
      readonly status?: number | string | readonly (number | string | Reference)[] | Reference;
      /** The header that is looked at. */
      readonly header?: string | Reference;
      /** The path in the body of the value that is looked at. */
      readonly field?: string | Reference;
      /** The value of the field or header, or several of which it is one. Numbers equal strings of them. Default: there is a value. */
      readonly is?: string | number | boolean | readonly (string | number | boolean | Reference)[] | Reference;
      /** A regular expression (RE2) that finds something in the value of the field or header; without these, in the body. */
      readonly matches?: string | Reference;
    };
    /** What is done: the request is tried again, the pagination ends, the response counts as no items, the run fails, or the credentials are renewed. */
    readonly do: 'retry' | 'stop' | 'skip' | 'fail' | 'renew' | Reference;
    /** What the error says, where the rule leads to one. */
    readonly message?: string | Reference;
  }[];
  /** How the job asks only for what is new since the last run. */
  readonly incremental?: {
    /** The path in an item of the value that grows: a date, a time or a number. */
    readonly field: string | Reference;
    /** The parameter that asks for what is newer. */
    readonly param: string | Reference;
    /** The value of the parameter in the first run. Default: the first run leaves the parameter out. */
    readonly initial?: string | number | boolean | null | Reference;
    /** By how much later runs go back: seconds for dates and times, else in the unit of the field. */
    readonly lag?: number | Reference;
  };
  /** What to do when the job turns out to be incomplete: fail, warn, or not look. Default: `config.completeness`. */
  readonly completeness?: 'error' | 'warn' | 'off' | Reference;
  /** Where the answer says how many items there are: a path, or an object with `path` or `header`. `none`: nowhere, and a field such as `count` means something else. Default: `api.pagination.total`. */
  readonly total?:
    | string
    | {
        /** The path in the answer of the number. */
        readonly path?: string | Reference;
        /** The header of the answer that has the number, by itself or behind a slash as in `items 0-24/66`. */
        readonly header?: string | Reference;
      }
    | Reference;
  /** What becomes of a page that equals the one before it: it ends the pagination, or it is kept. */
  readonly equalPages?: 'stop' | 'keep' | Reference;
  /** Whether the answer is cut into pages as it arrives, because it is too large to be held. Default: `false`. */
  readonly stream?:
    | boolean
    | {
        /** The most items of a page; a page is full with 1 MiB in any case. Unit: items. */
        readonly pageItems?: number | Reference;
      }
    | Reference;
  /** How the result of the job is made before it is requested: what to submit, and what to ask until it is there. */
  readonly asynchronous?: {
    /** The request that has the result made. */
    readonly submit: {
      /** The path that has the result made, relative to the base URL, or a URL. */
      readonly endpoint: string | Reference;
      /** The method of the request. */
      readonly method?: 'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | Reference;
      /** Parameters of the request, as those of a job. */
      readonly params?: { readonly [key: string]: Expression };
      /** Headers of the request. */
      readonly headers?: { readonly [key: string]: Expression };
      /** What is sent as a JSON body. */
      readonly body?: { readonly [key: string]: unknown } | readonly unknown[];
      /** Values of the answer by names: paths, or objects with `path` or `header`. `{submit.NAME}` stands for them in the endpoints, parameters, bodies and headers of `poll` and of the job. */
      readonly values?: {
        readonly [key: string]:
          | string
          | {
              /** The path in the answer of the value. */
              readonly path?: string | Reference;
              /** The header of the answer that has the value. */
              readonly header?: string | Reference;
            }
          | Reference;
      };
    };
    /** The request that says whether the result is there. */
    readonly poll: {
      /** The path that says how far the result is, relative to the base URL, or a URL. It may name values of `submit`. */
      readonly endpoint: string | Reference;
      /** The method of the request. */
      readonly method?: 'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | Reference;
      /** Parameters of the request, as those of a job. */
      readonly params?: { readonly [key: string]: Expression };
      /** Headers of the request. */
      readonly headers?: { readonly [key: string]: Expression };
      /** What is sent as a JSON body. */
      readonly body?: { readonly [key: string]: unknown } | readonly unknown[];
      /** How long to wait before the next poll, unless the answer asks for more by `Retry-After`. Unit: seconds. */
      readonly every?: number | Reference;
      /** How long the result may take. Then the run fails; it can go on with `--resume`. Unit: seconds. */
      readonly timeout?: number | Reference;
      /** What an answer looks like when the result is there: a condition as those of `rules`. */
      readonly until: {
        /** The status, or several. `"5xx"` stands for all from 500 to 599. */
        readonly status?: number | string | readonly (number | string | Reference)[] | Reference;
        /** The header that is looked at. */
        readonly header?: string | Reference;
        /** The path in the body of the value that is looked at. */
        readonly field?: string | Reference;
        /** The value of the field or header, or several of which it is one. Numbers equal strings of them. Default: there is a value. */
        readonly is?: string | number | boolean | readonly (string | number | boolean | Reference)[] | Reference;
        /** A regular expression (RE2) that finds something in the value of the field or header; without these, in the body. */
        readonly matches?: string | Reference;
      };
      /** What an answer looks like when there will be no result: the run fails with what it says. */
      readonly failed?: {
        /** The status, or several. `"5xx"` stands for all from 500 to 599. */
        readonly status?: number | string | readonly (number | string | Reference)[] | Reference;
        /** The header that is looked at. */
        readonly header?: string | Reference;
        /** The path in the body of the value that is looked at. */
        readonly field?: string | Reference;
        /** The value of the field or header, or several of which it is one. Numbers equal strings of them. Default: there is a value. */
        readonly is?: string | number | boolean | readonly (string | number | boolean | Reference)[] | Reference;
        /** A regular expression (RE2) that finds something in the value of the field or header; without these, in the body. */
        readonly matches?: string | Reference;
      };
      /** What an answer with a status of failure looks like while the result is made. */
      readonly running?: {
        /** The status, or several. `"5xx"` stands for all from 500 to 599. */
        readonly status?: number | string | readonly (number | string | Reference)[] | Reference;
        /** The header that is looked at. */
        readonly header?: string | Reference;
        /** The path in the body of the value that is looked at. */
        readonly field?: string | Reference;
        /** The value of the field or header, or several of which it is one. Numbers equal strings of them. Default: there is a value. */
        readonly is?: string | number | boolean | readonly (string | number | boolean | Reference)[] | Reference;
        /** A regular expression (RE2) that finds something in the value of the field or header; without these, in the body. */
        readonly matches?: string | Reference;
      };
      /** Values of the last answer by names, as those of `submit`: `{poll.NAME}` stands for them in the job. */
      readonly values?: {
        readonly [key: string]:
          | string
          | {
              /** The path in the answer of the value. */
              readonly path?: string | Reference;
              /** The header of the answer that has the value. */
              readonly header?: string | Reference;
            }
          | Reference;
      };
    };
    /** Hosts, beside those of the API, where the result may be. It is requested there by its address alone: no credentials, headers or parameters are sent. */
    readonly downloadHosts?: readonly (string | Reference)[];
  };
  /** How many calls of the children of this job run at once; also how many of its windows and partitions; `"auto"`: as many as [the API takes](../extensions/flow.md#as-many-as-the-api-takes). Unit: calls. */
  readonly concurrency?: number | 'auto' | Reference;
  /** How many pages may wait for the consumer when another one is requested. Unit: pages. Default: `config.prefetch`. */
  readonly prefetch?: number | Reference;
  /** Jobs that are called for each item of this one. */
  readonly children?: readonly ChildJob[];
}

export interface Config {
  /** The jobs: what is requested, in this order. */
  readonly jobs: readonly Job[];
  /** The bucket that the tables belong to. */
  readonly outputBucket?: string | Reference;
  /** An id of the configuration; without `outputBucket` it names the bucket. */
  readonly id?: string | Reference;
  /** Whether rows are added to those of earlier runs. Else they take their place. */
  readonly incrementalOutput?: boolean;
  /** What runs do to the rows that tables have: `replace` takes their place, `append` adds rows, `merge` takes the place of rows with the same primary key and adds the others. Default: `replace`; with `incrementalOutput` `merge` where a table has a primary key, else `append`. */
  readonly load?: 'replace' | 'append' | 'merge' | Reference;
  /** Whether rows of tables tell which run and which page brought them, in the columns `_run_id`, `_page` and `_extracted_at`. */
  readonly runColumns?: boolean;
  /** How items become rows, by their `dataType`. */
  readonly mappings?: { readonly [key: string]: Mapping };
  /** The columns of the keys of tables without mapping, by their `dataType`. */
  readonly primaryKeys?: { readonly [key: string]: string | readonly (string | Reference)[] | Reference };
  /** Columns that are added to every row of jobs that have no `userData` of their own. */
  readonly userData?: unknown;
  /** Headers of this configuration. */
  readonly http?: {
    /** Headers of every request of a job. They win over those of `api.http.headers`. */
    readonly headers?: { readonly [key: string]: Expression };
  };
  /** Whether the log tells more. */
  readonly debug?: boolean;
  /** Which version of the language applies: 3 is the present one. */
  readonly compatLevel?: number | Reference;
  /** How many pages a run of one job may have; then it fails. Unit: pages. */
  readonly requestLimit?: number | Reference;
  /** How many jobs run at once; `"auto"`: as many as [the API takes](../extensions/flow.md#as-many-as-the-api-takes). Unit: jobs. */
  readonly concurrency?: number | 'auto' | Reference;
  /** How many pages may wait for the consumer when another one is requested. Unit: pages. */
  readonly prefetch?: number | Reference;
  /** Whether pages come in the order of the jobs, however many run at once. */
  readonly ordered?: boolean;
  /** What to do when a job turns out to be incomplete: fail, warn, or not look. Default: as whoever runs it says; else `error`. */
  readonly completeness?: 'error' | 'warn' | 'off' | Reference;
  /** The destinations, where the command line names none: addresses, or objects with the address in `to` and settings beside it. */
  readonly sinks?: readonly (
    string | SinkCsv | SinkDuckdb | SinkNats | SinkNdjson | SinkParquet | SinkPostgres | SinkSqlite | Reference
  )[];
  /** How many columns a table of a destination may have. Unit: columns. */
  readonly maxColumns?: number | Reference;
  readonly [key: string]: unknown;
}

/** A value, or an expression that gives one. */
export type Expression =
  | string
  | number
  | boolean
  | null
  | readonly unknown[]
  | {
      /** The path of an attribute of `config`. */
      readonly attr: string | Reference;
    }
  | {
      /** When this run, or the last one, started. */
      readonly time: 'currentStart' | 'previousStart' | Reference;
    }
  | {
      /** The name of the function. */
      readonly function:
        | 'base64_decode'
        | 'base64_encode'
        | 'coalesce'
        | 'concat'
        | 'date'
        | 'hash'
        | 'hash_hmac'
        | 'ifempty'
        | 'implode'
        | 'jwt'
        | 'md5'
        | 'now'
        | 'rawurlencode'
        | 'regex'
        | 'replace'
        | 'sha1'
        | 'split'
        | 'sprintf'
        | 'strtotime'
        | 'time'
        | 'urlencode'
        | 'uuid'
        | Reference;
      /** Its arguments, which may be expressions. */
      readonly args?: readonly Expression[] | { readonly [key: string]: Expression };
    }
  | Reference;

export interface Extending {
  /** Files that this one is laid upon: their paths from here. */
  readonly extends: string | readonly (string | Reference)[] | Reference;
}

export type Format =
  | 'csv'
  | 'json'
  | 'jsonl'
  | 'text'
  | 'xlsx'
  | 'xml'
  | FormatCsv
  | FormatJson
  | FormatJsonl
  | FormatText
  | FormatXlsx
  | FormatXml;

export interface FormatCsv {
  /** The format. */
  readonly type: 'csv';
  /** What stands between two fields; a tabulator is `"\t"`. */
  readonly delimiter?: string | Reference;
  /** What stands around a field that holds a delimiter. If it is empty, nothing does. Default: `"`. */
  readonly quote?: string | Reference;
  /** With `true` the first line has the names, with `false` they are `0`, `1`, …; an array has the names where no line has them. Default: `true`. */
  readonly header?: boolean | readonly (string | Reference)[] | Reference;
  /** Lines above the header, or above the data, that are passed over. Unit: lines. */
  readonly skipLines?: number | Reference;
  /** How the bytes of a body become characters: a label of the WHATWG Encoding Standard. Default: a byte order mark, else `charset` of the content type, else what the body itself declares, else UTF-8; a body that is then no UTF-8 is an error. */
  readonly encoding?: string | Reference;
  /** The body is a zip archive, of which the files with this name are read; `*` stands for any characters. The arrays of several files become one, in the order of the archive. Default: a body may be a zip archive of one file. */
  readonly file?: string | Reference;
}

export interface FormatJson {
  /** The format. */
  readonly type: 'json';
  /** The body is a zip archive, of which the files with this name are read; `*` stands for any characters. The arrays of several files become one, in the order of the archive. Default: a body may be a zip archive of one file. */
  readonly file?: string | Reference;
}

export interface FormatJsonl {
  /** The format. */
  readonly type: 'jsonl';
  /** How the bytes of a body become characters: a label of the WHATWG Encoding Standard. Default: a byte order mark, else `charset` of the content type, else what the body itself declares, else UTF-8; a body that is then no UTF-8 is an error. */
  readonly encoding?: string | Reference;
  /** The body is a zip archive, of which the files with this name are read; `*` stands for any characters. The arrays of several files become one, in the order of the archive. Default: a body may be a zip archive of one file. */
  readonly file?: string | Reference;
}

export interface FormatText {
  /** The format. */
  readonly type: 'text';
  /** How the bytes of a body become characters: a label of the WHATWG Encoding Standard. Default: a byte order mark, else `charset` of the content type, else what the body itself declares, else UTF-8; a body that is then no UTF-8 is an error. */
  readonly encoding?: string | Reference;
  /** The body is a zip archive, of which the files with this name are read; `*` stands for any characters. The arrays of several files become one, in the order of the archive. Default: a body may be a zip archive of one file. */
  readonly file?: string | Reference;
}

export interface FormatXlsx {
  /** The format. */
  readonly type: 'xlsx';
  /** Which sheet is read: its name, or its place from 1. Charts do not count, hidden sheets do. Default: the only one; several are an error that lists them. */
  readonly sheet?: string | number | Reference;
  /** With `true` the first row with values has the names, with `false` they are `A`, `B`, …; an array has the names from column A on, where no row has them. Default: `true`. */
  readonly header?: boolean | readonly (string | Reference)[] | Reference;
  /** Rows at the top of the sheet that are passed over, above the header, or above the data; empty ones count. Unit: rows. */
  readonly skipRows?: number | Reference;
}

export interface FormatXml {
  /** The format. */
  readonly type: 'xml';
  /** How the bytes of a body become characters: a label of the WHATWG Encoding Standard. Default: a byte order mark, else `charset` of the content type, else what the body itself declares, else UTF-8; a body that is then no UTF-8 is an error. */
  readonly encoding?: string | Reference;
  /** The body is a zip archive, of which the files with this name are read; `*` stands for any characters. The arrays of several files become one, in the order of the archive. Default: a body may be a zip archive of one file. */
  readonly file?: string | Reference;
}

export interface Iteration {
  /** The jobs: what is requested, in this order. */
  readonly jobs?: readonly Job[];
  /** The bucket that the tables belong to. */
  readonly outputBucket?: string | Reference;
  /** An id of the configuration; without `outputBucket` it names the bucket. */
  readonly id?: string | Reference;
  /** Whether rows are added to those of earlier runs. Else they take their place. */
  readonly incrementalOutput?: boolean;
  /** What runs do to the rows that tables have: `replace` takes their place, `append` adds rows, `merge` takes the place of rows with the same primary key and adds the others. Default: `replace`; with `incrementalOutput` `merge` where a table has a primary key, else `append`. */
  readonly load?: 'replace' | 'append' | 'merge' | Reference;
  /** Whether rows of tables tell which run and which page brought them, in the columns `_run_id`, `_page` and `_extracted_at`. */
  readonly runColumns?: boolean;
  /** How items become rows, by their `dataType`. */
  readonly mappings?: { readonly [key: string]: Mapping };
  /** The columns of the keys of tables without mapping, by their `dataType`. */
  readonly primaryKeys?: { readonly [key: string]: string | readonly (string | Reference)[] | Reference };
  /** Columns that are added to every row of jobs that have no `userData` of their own. */
  readonly userData?: unknown;
  /** Headers of this configuration. */
  readonly http?: {
    /** Headers of every request of a job. They win over those of `api.http.headers`. */
    readonly headers?: { readonly [key: string]: Expression };
  };
  /** Whether the log tells more. */
  readonly debug?: boolean;
  /** Which version of the language applies: 3 is the present one. */
  readonly compatLevel?: number | Reference;
  /** How many pages a run of one job may have; then it fails. Unit: pages. */
  readonly requestLimit?: number | Reference;
  /** How many jobs run at once; `"auto"`: as many as [the API takes](../extensions/flow.md#as-many-as-the-api-takes). Unit: jobs. */
  readonly concurrency?: number | 'auto' | Reference;
  /** How many pages may wait for the consumer when another one is requested. Unit: pages. */
  readonly prefetch?: number | Reference;
  /** Whether pages come in the order of the jobs, however many run at once. */
  readonly ordered?: boolean;
  /** What to do when a job turns out to be incomplete: fail, warn, or not look. Default: as whoever runs it says; else `error`. */
  readonly completeness?: 'error' | 'warn' | 'off' | Reference;
  /** The destinations, where the command line names none: addresses, or objects with the address in `to` and settings beside it. */
  readonly sinks?: readonly (
    string | SinkCsv | SinkDuckdb | SinkNats | SinkNdjson | SinkParquet | SinkPostgres | SinkSqlite | Reference
  )[];
  /** How many columns a table of a destination may have. Unit: columns. */
  readonly maxColumns?: number | Reference;
  readonly [key: string]: unknown;
}

export interface Job {
  /** The path that is requested, relative to the base URL, or a URL. In children it may have placeholders: `ships/{id}`. Default: required; `graphql` with the method `graphql`. */
  readonly endpoint?: string | Reference;
  /** Parameters of the request: its query, or the body of `POST` and `FORM`. Values may be expressions. */
  readonly params?: { readonly [key: string]: Expression };
  /** The method. `FORM` is a POST whose parameters are sent as a form, `graphql` one that [sends a document](graphql.md). Default: `api.http.defaultOptions.method`, or GET. */
  readonly method?: 'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'graphql' | Reference;
  /** Headers of the requests of this job. */
  readonly headers?: { readonly [key: string]: Expression };
  /** What is sent as a JSON body. The parameters are then sent as the query. */
  readonly body?: { readonly [key: string]: unknown } | readonly unknown[];
  /** With the method `graphql`: the document, a string or an array of its lines. */
  readonly query?: string | readonly (string | Reference)[];
  /** With the method `graphql`: the variables of the document. Values may be expressions. */
  readonly variables?: { readonly [key: string]: Expression };
  /** With the method `graphql`: which operation of the document is meant, where it has several. */
  readonly operationName?: string;
  /** Whether functions inside parameters that are arrays are evaluated. */
  readonly functionsInLists?: boolean;
  /** Whether placeholders in `params`, `variables` and `body` are filled in. */
  readonly placeholdersInParams?: boolean;
  /** In children: how many items of the parent share one request. Unit: items. */
  readonly batch?: number | Reference;
  /** What stands between the values in a string. */
  readonly batchSeparator?: string | Reference;
  /** What a parameter of a batch that is nothing but a placeholder becomes: a joined string, an array, or an array as the query repeats it or writes it with brackets. `repeat` and `brackets` write every array in the parameters of a job so, with or without a batch. */
  readonly batchStyle?: 'join' | 'list' | 'repeat' | 'brackets' | Reference;
  /** The path in the answer of the array of items, or an object with `path` and `delimiter`. Default: the only array of the answer. */
  readonly dataField?:
    | string
    | {
        /** The path in the answer of the array of items. */
        readonly path: string | Reference;
        /** What separates the keys of the path. */
        readonly delimiter?: string | Reference;
      }
    | Reference;
  /** The kind of the items: it names their table and their mapping. Default: the endpoint; that of `submit`, where the endpoint is a value of an answer. */
  readonly dataType?: string | Reference;
  /** What runs do to the rows that the table of the items has: `replace`, `append` or `merge`. Default: `config.load`. */
  readonly load?: 'replace' | 'append' | 'merge' | Reference;
  /** The name of the table of the items: letters, digits and `_`, at most 63 bytes. Default: made of `dataType`. */
  readonly tableName?: string | Reference;
  /** How the bodies of the answers are read. Default: as `api.http.format`. */
  readonly format?: Format;
  /** The columns of the key of the table, if it has no mapping. */
  readonly primaryKey?: string | readonly (string | Reference)[] | Reference;
  /** What destinations with tables do with objects and lists in items: `tables` makes columns of objects and tables of lists; `json` keeps each as one column of JSON; `struct`, in DuckDB and Parquet only, makes STRUCT and LIST columns of them. Default: as the destination does, usually `tables`. */
  readonly nested?: 'tables' | 'json' | 'struct' | Reference;
  /** Types of columns in typed tables, by the path of their values in an item. */
  readonly columnTypes?: { readonly [key: string]: string | Reference };
  /** Paths in an item of values that are kept as JSON text, in place of columns or child tables. */
  readonly responseFilter?: string | readonly (string | Reference)[] | Reference;
  /** What separates the keys of `responseFilter`. */
  readonly responseFilterDelimiter?: string | Reference;
  /** The path in an item of an array: each of its elements becomes an item, with the other fields of the item. */
  readonly unnest?:
    | string
    | {
        /** The path in an item of the array. */
        readonly path: string | Reference;
        /** What stands before the names of the other fields of the item. Default: parent_. */
        readonly prefix?: string | Reference;
      }
    | Reference;
  /** Fields that are added to each item; values may be expressions, with the context `item`. */
  readonly compute?: { readonly [key: string]: Expression };
  /** Conditions on the fields of an item, as in `recursionFilter`: only items that meet all of them are kept. */
  readonly filter?: string | readonly (string | Reference)[] | Reference;
  /** Conditions on the fields of an item: items that meet one of them are dropped. */
  readonly exclude?: string | readonly (string | Reference)[] | Reference;
  /** The path, or the paths, of the key of an item: of items with equal keys a call of the job keeps the first. */
  readonly unique?: string | readonly (string | Reference)[] | Reference;
  /** New names of fields, by their names in the item. */
  readonly rename?: { readonly [key: string]: string | Reference };
  /** Fields that items may lack, by their paths as `filter`, `unnest`, `rename` and the like name them: that no item has one is no mistake. */
  readonly optionalFields?: string | readonly (string | Reference)[] | Reference;
  /** Arrays of values by names: the job is requested once for each value, or for each combination. */
  readonly partitions?: { readonly [key: string]: readonly Expression[] | { readonly [key: string]: unknown } };
  /** A span of time that is requested in windows, one after another. */
  readonly window?: {
    /** Where the first window begins: a date, words of `strtotime`, Unix seconds, or an expression that gives one. */
    readonly from: string | number | { readonly [key: string]: unknown };
    /** Where the last window ends; the moment itself is no longer part of it. Default: when the run began. */
    readonly to?: string | number | { readonly [key: string]: unknown };
    /** How long a window is: a number of seconds, minutes, hours, days, weeks, months or years. */
    readonly step: string | Reference;
    /** How the moments are sent: a format as the function `now` has them, by name or in letters. Default: `date` for steps of days and more, else `ISO 8601`. */
    readonly format?: string | Reference;
    /** Whether the API takes the end of a window for a part of it: then the last day, minute, second or millisecond before it is sent, as the format has them. */
    readonly toIsInclusive?: boolean;
    /** The number of items of which the API gives no more: a window that has so many is requested again in halves. Unit: items. */
    readonly cap?: number | Reference;
    /** With `cap`: how short a window may become; one of this length that has so many items is an error. Default: a day, or a second where the format has times of day. */
    readonly smallest?: string | Reference;
  };
  /** Which scroller of `api.pagination` the job uses, if its method is `multiple`. Default: `api.pagination.default`. */
  readonly scroller?: string | Reference;
  /** Columns that are added to every row of the job. Values may be expressions. */
  readonly userData?: unknown;
  /** In children: what each placeholder of the endpoint stands for, a path in the item of the parent. */
  readonly placeholders?: { readonly [key: string]: unknown };
  /** In children: which items of the parent the child is called for. */
  readonly recursionFilter?: string | Reference;
  /** An id of the job. A later job with the same id replaces an earlier one. Default: a digest of the job. */
  readonly id?: string | Reference;
  /** How many pages a run of this job may have; then it fails. Unit: pages. Default: `config.requestLimit`. */
  readonly requestLimit?: number | Reference;
  /** How many requests of this job may start in a time. */
  readonly rateLimit?:
    | {
        /** How many requests may start in `seconds`. Unit: requests. */
        readonly requests?: number | Reference;
        /** The time in which they may start. Unit: seconds. */
        readonly seconds?: number | Reference;
        /** How many may start at once, if fewer than `requests`. Unit: requests. Default: `requests`. */
        readonly burst?: number | Reference;
        /** Headers of answers that say how many requests are left, and until when. */
        readonly headers?: {
          /** The header that says how many requests are left. */
          readonly remaining?: string | Reference;
          /** The header that says until when that counts: seconds, a date, or a Unix timestamp. */
          readonly reset?: string | Reference;
        };
      }
    | readonly {
        /** How many requests may start in `seconds`. Unit: requests. */
        readonly requests?: number | Reference;
        /** The time in which they may start. Unit: seconds. */
        readonly seconds?: number | Reference;
        /** How many may start at once, if fewer than `requests`. Unit: requests. Default: `requests`. */
        readonly burst?: number | Reference;
        /** Headers of answers that say how many requests are left, and until when. */
        readonly headers?: {
          /** The header that says how many requests are left. */
          readonly remaining?: string | Reference;
          /** The header that says until when that counts: seconds, a date, or a Unix timestamp. */
          readonly reset?: string | Reference;
        };
      }[];
  /** What is done with answers to this job that look like this. These rules come before `api.http.rules`. */
  readonly rules?: readonly {
    /** What the response looks like: all that is given has to hold. */
    readonly when: {
      /** The status, or several. `"5xx"` stands for all from 500 to 599. */
      readonly status?: number | string | readonly (number | string | Reference)[] | Reference;
      /** The header that is looked at. */
      readonly header?: string | Reference;
      /** The path in the body of the value that is looked at. */
      readonly field?: string | Reference;
      /** The value of the field or header, or several of which it is one. Numbers equal strings of them. Default: there is a value. */
      readonly is?: string | number | boolean | readonly (string | number | boolean | Reference)[] | Reference;
      /** A regular expression (RE2) that finds something in the value of the field or header; without these, in the body. */
      readonly matches?: string | Reference;
    };
    /** What is done: the request is tried again, the pagination ends, the response counts as no items, the run fails, or the credentials are renewed. */
    readonly do: 'retry' | 'stop' | 'skip' | 'fail' | 'renew' | Reference;
    /** What the error says, where the rule leads to one. */
    readonly message?: string | Reference;
  }[];
  /** How the job asks only for what is new since the last run. */
  readonly incremental?: {
    /** The path in an item of the value that grows: a date, a time or a number. */
    readonly field: string | Reference;
    /** The parameter that asks for what is newer. */
    readonly param: string | Reference;
    /** The value of the parameter in the first run. Default: the first run leaves the parameter out. */
    readonly initial?: string | number | boolean | null | Reference;
    /** By how much later runs go back: seconds for dates and times, else in the unit of the field. */
    readonly lag?: number | Reference;
  };
  /** What to do when the job turns out to be incomplete: fail, warn, or not look. Default: `config.completeness`. */
  readonly completeness?: 'error' | 'warn' | 'off' | Reference;
  /** Where the answer says how many items there are: a path, or an object with `path` or `header`. `none`: nowhere, and a field such as `count` means something else. Default: `api.pagination.total`. */
  readonly total?:
    | string
    | {
        /** The path in the answer of the number. */
        readonly path?: string | Reference;
        /** The header of the answer that has the number, by itself or behind a slash as in `items 0-24/66`. */
        readonly header?: string | Reference;
      }
    | Reference;
  /** What becomes of a page that equals the one before it: it ends the pagination, or it is kept. */
  readonly equalPages?: 'stop' | 'keep' | Reference;
  /** Whether the answer is cut into pages as it arrives, because it is too large to be held. Default: `false`. */
  readonly stream?:
    | boolean
    | {
        /** The most items of a page; a page is full with 1 MiB in any case. Unit: items. */
        readonly pageItems?: number | Reference;
      }
    | Reference;
  /** How the result of the job is made before it is requested: what to submit, and what to ask until it is there. */
  readonly asynchronous?: {
    /** The request that has the result made. */
    readonly submit: {
      /** The path that has the result made, relative to the base URL, or a URL. */
      readonly endpoint: string | Reference;
      /** The method of the request. */
      readonly method?: 'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | Reference;
      /** Parameters of the request, as those of a job. */
      readonly params?: { readonly [key: string]: Expression };
      /** Headers of the request. */
      readonly headers?: { readonly [key: string]: Expression };
      /** What is sent as a JSON body. */
      readonly body?: { readonly [key: string]: unknown } | readonly unknown[];
      /** Values of the answer by names: paths, or objects with `path` or `header`. `{submit.NAME}` stands for them in the endpoints, parameters, bodies and headers of `poll` and of the job. */
      readonly values?: {
        readonly [key: string]:
          | string
          | {
              /** The path in the answer of the value. */
              readonly path?: string | Reference;
              /** The header of the answer that has the value. */
              readonly header?: string | Reference;
            }
          | Reference;
      };
    };
    /** The request that says whether the result is there. */
    readonly poll: {
      /** The path that says how far the result is, relative to the base URL, or a URL. It may name values of `submit`. */
      readonly endpoint: string | Reference;
      /** The method of the request. */
      readonly method?: 'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | Reference;
      /** Parameters of the request, as those of a job. */
      readonly params?: { readonly [key: string]: Expression };
      /** Headers of the request. */
      readonly headers?: { readonly [key: string]: Expression };
      /** What is sent as a JSON body. */
      readonly body?: { readonly [key: string]: unknown } | readonly unknown[];
      /** How long to wait before the next poll, unless the answer asks for more by `Retry-After`. Unit: seconds. */
      readonly every?: number | Reference;
      /** How long the result may take. Then the run fails; it can go on with `--resume`. Unit: seconds. */
      readonly timeout?: number | Reference;
      /** What an answer looks like when the result is there: a condition as those of `rules`. */
      readonly until: {
        /** The status, or several. `"5xx"` stands for all from 500 to 599. */
        readonly status?: number | string | readonly (number | string | Reference)[] | Reference;
        /** The header that is looked at. */
        readonly header?: string | Reference;
        /** The path in the body of the value that is looked at. */
        readonly field?: string | Reference;
        /** The value of the field or header, or several of which it is one. Numbers equal strings of them. Default: there is a value. */
        readonly is?: string | number | boolean | readonly (string | number | boolean | Reference)[] | Reference;
        /** A regular expression (RE2) that finds something in the value of the field or header; without these, in the body. */
        readonly matches?: string | Reference;
      };
      /** What an answer looks like when there will be no result: the run fails with what it says. */
      readonly failed?: {
        /** The status, or several. `"5xx"` stands for all from 500 to 599. */
        readonly status?: number | string | readonly (number | string | Reference)[] | Reference;
        /** The header that is looked at. */
        readonly header?: string | Reference;
        /** The path in the body of the value that is looked at. */
        readonly field?: string | Reference;
        /** The value of the field or header, or several of which it is one. Numbers equal strings of them. Default: there is a value. */
        readonly is?: string | number | boolean | readonly (string | number | boolean | Reference)[] | Reference;
        /** A regular expression (RE2) that finds something in the value of the field or header; without these, in the body. */
        readonly matches?: string | Reference;
      };
      /** What an answer with a status of failure looks like while the result is made. */
      readonly running?: {
        /** The status, or several. `"5xx"` stands for all from 500 to 599. */
        readonly status?: number | string | readonly (number | string | Reference)[] | Reference;
        /** The header that is looked at. */
        readonly header?: string | Reference;
        /** The path in the body of the value that is looked at. */
        readonly field?: string | Reference;
        /** The value of the field or header, or several of which it is one. Numbers equal strings of them. Default: there is a value. */
        readonly is?: string | number | boolean | readonly (string | number | boolean | Reference)[] | Reference;
        /** A regular expression (RE2) that finds something in the value of the field or header; without these, in the body. */
        readonly matches?: string | Reference;
      };
      /** Values of the last answer by names, as those of `submit`: `{poll.NAME}` stands for them in the job. */
      readonly values?: {
        readonly [key: string]:
          | string
          | {
              /** The path in the answer of the value. */
              readonly path?: string | Reference;
              /** The header of the answer that has the value. */
              readonly header?: string | Reference;
            }
          | Reference;
      };
    };
    /** Hosts, beside those of the API, where the result may be. It is requested there by its address alone: no credentials, headers or parameters are sent. */
    readonly downloadHosts?: readonly (string | Reference)[];
  };
  /** How many calls of the children of this job run at once; also how many of its windows and partitions; `"auto"`: as many as [the API takes](../extensions/flow.md#as-many-as-the-api-takes). Unit: calls. */
  readonly concurrency?: number | 'auto' | Reference;
  /** How many pages may wait for the consumer when another one is requested. Unit: pages. Default: `config.prefetch`. */
  readonly prefetch?: number | Reference;
  /** Jobs that are called for each item of this one. */
  readonly children?: readonly ChildJob[];
}

export type Mapping = { readonly [key: string]: MappingEntry | Reference } | readonly (MappingEntry | Reference)[];

export type MappingEntry =
  | string
  | {
      /** `column`: the value at the path. `user`: the extra column of that name, such as `parent_id`. `date`: the value as a Unix timestamp. Default: column. */
      readonly type?: 'column' | 'user' | 'date' | 'table' | Reference;
      /** The column. */
      readonly mapping: {
        /** The name of the column. */
        readonly destination: string | Reference;
        /** Whether the column belongs to the primary key of the table. */
        readonly primaryKey?: boolean;
        /** The [type of the column](../extensions/column-types.md) in typed tables. Default: as the values have it. */
        readonly type?: string | Reference;
      };
      /** Whether an array or an object is written as JSON text. */
      readonly forceType?: boolean;
      /** What separates the keys of the path of this entry. Default: `.`. */
      readonly delimiter?: string | Reference;
    }
  | {
      /** `table`: an element of the array at the path is a row of a child table. */
      readonly type: 'table';
      /** The name of the child table. */
      readonly destination: string | Reference;
      /** The mapping of the elements. It is required, except where `destination` is the table itself. */
      readonly tableMapping?: Mapping;
      /** The column that links both tables. */
      readonly parentKey?: {
        /** The column of the child table that has the key of the parent. Default: the name of the parent table and `_pk`. */
        readonly destination?: string | Reference;
        /** Whether that column belongs to the primary key of the child table. */
        readonly primaryKey?: boolean;
        /** Whether neither table gets a column that links them. */
        readonly disable?: boolean;
      };
      /** What separates the keys of the path of this entry. Default: `.`. */
      readonly delimiter?: string | Reference;
    };

export type Pagination =
  | PaginationConnection
  | PaginationCursor
  | PaginationKeyset
  | PaginationOffset
  | PaginationPagenum
  | PaginationResponseLink
  | PaginationResponseParam
  | PaginationResponseUrl
  | PaginationZendeskResponseUrl
  | PaginationMultiple;

export interface PaginationConnection {
  /** The method. */
  readonly method: 'connection';
  /** The path in the answer of the object with `hasNextPage` and `endCursor`. Default: the only `pageInfo` of the answer, arrays left out. */
  readonly pageInfo?: string | Reference;
  /** The [place](../pagination.md#places) of the cursor in the next request. */
  readonly afterParam?:
    | string
    | readonly (string | Reference)[]
    | {
        /** The header of the request that has the value. */
        readonly header?: string | Reference;
        /** The parameter that has the value, or the keys that lead to it. */
        readonly param?: string | readonly (string | Reference)[] | Reference;
        /** The string that is sent, with the value in it. */
        readonly template?: string | Reference;
      }
    | Reference;
  /** Ends the pagination at a number of items. */
  readonly limitStop?: {
    /** Pagination ends when so many items were given. Unit: items. */
    readonly count?: number | Reference;
    /** The path in the answer of the number of items at which pagination ends. */
    readonly field?: string | Reference;
    /** The header of the answer that has the number of items at which pagination ends, by itself or behind a slash as in `items 0-24/66`. */
    readonly header?: string | Reference;
  };
  /** Ends the pagination after a number of pages, a time, or a volume. */
  readonly forceStop?: {
    /** Pagination ends after so many pages. Unit: pages. */
    readonly pages?: number | Reference;
    /** Pagination ends when so much time has passed: seconds, or words such as `1 hour`. Unit: seconds. */
    readonly time?: number | string | Reference;
    /** Pagination ends after so many bytes of answers. Unit: bytes. */
    readonly volume?: number | Reference;
  };
  /** Ends the pagination by a field of the answer. */
  readonly nextPageFlag?: {
    /** The key of the answer that says whether there is a next page. */
    readonly field?: string | Reference;
    /** The path in the answer of the field, in place of `field`, where it is no key of the answer itself. */
    readonly path?: string | Reference;
    /** The value of the field at which pagination ends: true or false. */
    readonly stopOn: boolean | Reference;
    /** The value that counts where the answer does not have the field. Default: as `stopOn`. */
    readonly ifNotSet?: boolean | Reference;
  };
  /** Whether a page without items ends the pagination, for APIs that give a token or an address on every page. */
  readonly stopWhenEmpty?: boolean | Reference;
  /** Where the answer says how many items there are: a path, or an object with `path` or `header`. Pagination goes on until they are there, and their number is checked. */
  readonly total?:
    | string
    | {
        /** The path in the answer of the number. */
        readonly path?: string | Reference;
        /** The header of the answer that has the number, by itself or behind a slash as in `items 0-24/66`. */
        readonly header?: string | Reference;
      }
    | Reference;
}

export interface PaginationCursor {
  /** The method. */
  readonly method: 'cursor';
  /** The path in an item of the number. */
  readonly idKey: string | Reference;
  /** Where the next request has the number: a parameter, or another [place](../pagination.md#places). */
  readonly param:
    | string
    | readonly (string | Reference)[]
    | {
        /** The header of the request that has the value. */
        readonly header?: string | Reference;
        /** The parameter that has the value, or the keys that lead to it. */
        readonly param?: string | readonly (string | Reference)[] | Reference;
        /** The string that is sent, with the value in it. */
        readonly template?: string | Reference;
      }
    | Reference;
  /** What is added to the number: 1 where the API gives items from this number on. */
  readonly increment?: number | Reference;
  /** Whether the lowest number counts, for APIs that go backwards. */
  readonly reverse?: boolean;
  /** Ends the pagination at a number of items. */
  readonly limitStop?: {
    /** Pagination ends when so many items were given. Unit: items. */
    readonly count?: number | Reference;
    /** The path in the answer of the number of items at which pagination ends. */
    readonly field?: string | Reference;
    /** The header of the answer that has the number of items at which pagination ends, by itself or behind a slash as in `items 0-24/66`. */
    readonly header?: string | Reference;
  };
  /** Ends the pagination after a number of pages, a time, or a volume. */
  readonly forceStop?: {
    /** Pagination ends after so many pages. Unit: pages. */
    readonly pages?: number | Reference;
    /** Pagination ends when so much time has passed: seconds, or words such as `1 hour`. Unit: seconds. */
    readonly time?: number | string | Reference;
    /** Pagination ends after so many bytes of answers. Unit: bytes. */
    readonly volume?: number | Reference;
  };
  /** Ends the pagination by a field of the answer. */
  readonly nextPageFlag?: {
    /** The key of the answer that says whether there is a next page. */
    readonly field?: string | Reference;
    /** The path in the answer of the field, in place of `field`, where it is no key of the answer itself. */
    readonly path?: string | Reference;
    /** The value of the field at which pagination ends: true or false. */
    readonly stopOn: boolean | Reference;
    /** The value that counts where the answer does not have the field. Default: as `stopOn`. */
    readonly ifNotSet?: boolean | Reference;
  };
  /** Whether a page without items ends the pagination, for APIs that give a token or an address on every page. */
  readonly stopWhenEmpty?: boolean | Reference;
  /** Where the answer says how many items there are: a path, or an object with `path` or `header`. Pagination goes on until they are there, and their number is checked. */
  readonly total?:
    | string
    | {
        /** The path in the answer of the number. */
        readonly path?: string | Reference;
        /** The header of the answer that has the number, by itself or behind a slash as in `items 0-24/66`. */
        readonly header?: string | Reference;
      }
    | Reference;
}

export interface PaginationKeyset {
  /** The method. */
  readonly method: 'keyset';
  /** The path in an item of its key; an array of paths where several values make the key. */
  readonly key: string | readonly (string | Reference)[] | Reference;
  /** Where the next request has the key: a parameter, or another [place](../pagination.md#places). With several paths in `key`: as many places, or one that takes the array of values. */
  readonly param:
    | string
    | readonly (string | Reference)[]
    | {
        /** The header of the request that has the value. */
        readonly header?: string | Reference;
        /** The parameter that has the value, or the keys that lead to it. */
        readonly param?: string | readonly (string | Reference)[] | Reference;
        /** The string that is sent, with the value in it. */
        readonly template?: string | Reference;
      }
    | readonly (
        | string
        | readonly (string | Reference)[]
        | {
            /** The header of the request that has the value. */
            readonly header?: string | Reference;
            /** The parameter that has the value, or the keys that lead to it. */
            readonly param?: string | readonly (string | Reference)[] | Reference;
            /** The string that is sent, with the value in it. */
            readonly template?: string | Reference;
          }
        | Reference
      )[]
    | Reference;
  /** Whether the next page begins at the key, and not behind it: items that have come already are then dropped. */
  readonly inclusive?: boolean;
  /** The page size, which must not be more than the API gives: fewer items end the pagination, unless `shortPage` says otherwise. Without it no page size is sent, and pagination goes on until a page has nothing new. Unit: items. */
  readonly limit?: number | Reference;
  /** Where the page size stands, if there is a `limit`: a parameter, or another place. */
  readonly limitParam?:
    | string
    | readonly (string | Reference)[]
    | {
        /** The header of the request that has the value. */
        readonly header?: string | Reference;
        /** The parameter that has the value, or the keys that lead to it. */
        readonly param?: string | readonly (string | Reference)[] | Reference;
        /** The string that is sent, with the value in it. */
        readonly template?: string | Reference;
      }
    | Reference;
  /** What a page means that has fewer items than the page size: it is the `last` one; or the API has `capped` it, or has `filtered` items out of it, and others follow, until a page has none. */
  readonly shortPage?: 'last' | 'capped' | 'filtered' | Reference;
  /** Ends the pagination at a number of items. */
  readonly limitStop?: {
    /** Pagination ends when so many items were given. Unit: items. */
    readonly count?: number | Reference;
    /** The path in the answer of the number of items at which pagination ends. */
    readonly field?: string | Reference;
    /** The header of the answer that has the number of items at which pagination ends, by itself or behind a slash as in `items 0-24/66`. */
    readonly header?: string | Reference;
  };
  /** Ends the pagination after a number of pages, a time, or a volume. */
  readonly forceStop?: {
    /** Pagination ends after so many pages. Unit: pages. */
    readonly pages?: number | Reference;
    /** Pagination ends when so much time has passed: seconds, or words such as `1 hour`. Unit: seconds. */
    readonly time?: number | string | Reference;
    /** Pagination ends after so many bytes of answers. Unit: bytes. */
    readonly volume?: number | Reference;
  };
  /** Ends the pagination by a field of the answer. */
  readonly nextPageFlag?: {
    /** The key of the answer that says whether there is a next page. */
    readonly field?: string | Reference;
    /** The path in the answer of the field, in place of `field`, where it is no key of the answer itself. */
    readonly path?: string | Reference;
    /** The value of the field at which pagination ends: true or false. */
    readonly stopOn: boolean | Reference;
    /** The value that counts where the answer does not have the field. Default: as `stopOn`. */
    readonly ifNotSet?: boolean | Reference;
  };
  /** Whether a page without items ends the pagination, for APIs that give a token or an address on every page. */
  readonly stopWhenEmpty?: boolean | Reference;
  /** Where the answer says how many items there are: a path, or an object with `path` or `header`. Pagination goes on until they are there, and their number is checked. */
  readonly total?:
    | string
    | {
        /** The path in the answer of the number. */
        readonly path?: string | Reference;
        /** The header of the answer that has the number, by itself or behind a slash as in `items 0-24/66`. */
        readonly header?: string | Reference;
      }
    | Reference;
}

export interface PaginationMultiple {
  /** The method. */
  readonly method?: 'multiple';
  /** The pagination of jobs, by a name that jobs choose it by. */
  readonly scrollers: { readonly [key: string]: Scroller };
  /** The scroller of jobs that name none. Without it, such jobs make one request. */
  readonly default?: string | Reference;
  /** Ends the pagination at a number of items. */
  readonly limitStop?: {
    /** Pagination ends when so many items were given. Unit: items. */
    readonly count?: number | Reference;
    /** The path in the answer of the number of items at which pagination ends. */
    readonly field?: string | Reference;
    /** The header of the answer that has the number of items at which pagination ends, by itself or behind a slash as in `items 0-24/66`. */
    readonly header?: string | Reference;
  };
  /** Ends the pagination after a number of pages, a time, or a volume. */
  readonly forceStop?: {
    /** Pagination ends after so many pages. Unit: pages. */
    readonly pages?: number | Reference;
    /** Pagination ends when so much time has passed: seconds, or words such as `1 hour`. Unit: seconds. */
    readonly time?: number | string | Reference;
    /** Pagination ends after so many bytes of answers. Unit: bytes. */
    readonly volume?: number | Reference;
  };
  /** Ends the pagination by a field of the answer. */
  readonly nextPageFlag?: {
    /** The key of the answer that says whether there is a next page. */
    readonly field?: string | Reference;
    /** The path in the answer of the field, in place of `field`, where it is no key of the answer itself. */
    readonly path?: string | Reference;
    /** The value of the field at which pagination ends: true or false. */
    readonly stopOn: boolean | Reference;
    /** The value that counts where the answer does not have the field. Default: as `stopOn`. */
    readonly ifNotSet?: boolean | Reference;
  };
  /** Whether a page without items ends the pagination, for APIs that give a token or an address on every page. */
  readonly stopWhenEmpty?: boolean | Reference;
  /** Where the answer says how many items there are: a path, or an object with `path` or `header`. Pagination goes on until they are there, and their number is checked. */
  readonly total?:
    | string
    | {
        /** The path in the answer of the number. */
        readonly path?: string | Reference;
        /** The header of the answer that has the number, by itself or behind a slash as in `items 0-24/66`. */
        readonly header?: string | Reference;
      }
    | Reference;
}

export interface PaginationOffset {
  /** The method. */
  readonly method: 'offset';
  /** The page size. It must not be more than the API gives: fewer items than asked for end the pagination, unless `shortPage` says otherwise. Unit: items. */
  readonly limit: number | Reference;
  /** Where the page size stands: a parameter, or another [place](../pagination.md#places). */
  readonly limitParam?:
    | string
    | readonly (string | Reference)[]
    | {
        /** The header of the request that has the value. */
        readonly header?: string | Reference;
        /** The parameter that has the value, or the keys that lead to it. */
        readonly param?: string | readonly (string | Reference)[] | Reference;
        /** The string that is sent, with the value in it. */
        readonly template?: string | Reference;
      }
    | Reference;
  /** Where the number of items to skip stands: a parameter, or another place, whose template may have `{from}`, `{to}` (the last item of the page) and `{limit}`. */
  readonly offsetParam?:
    | string
    | readonly (string | Reference)[]
    | {
        /** The header of the request that has the value. */
        readonly header?: string | Reference;
        /** The parameter that has the value, or the keys that lead to it. */
        readonly param?: string | readonly (string | Reference)[] | Reference;
        /** The string that is sent, with the value in it. */
        readonly template?: string | Reference;
      }
    | Reference;
  /** Whether the first request has the parameters of pagination as well. */
  readonly firstPageParams?: boolean;
  /** Whether a parameter of the job named like `offsetParam` is where the job starts. Else that parameter is left out. */
  readonly offsetFromJob?: boolean;
  /** What a page means that has fewer items than the page size: it is the `last` one; or the API has `capped` it, or has `filtered` items out of it, and others follow, until a page has none. */
  readonly shortPage?: 'last' | 'capped' | 'filtered' | Reference;
  /** How many pages are requested at once. Pages still come in their order. Unit: requests. */
  readonly parallel?: number | Reference;
  /** Ends the pagination at a number of items. */
  readonly limitStop?: {
    /** Pagination ends when so many items were given. Unit: items. */
    readonly count?: number | Reference;
    /** The path in the answer of the number of items at which pagination ends. */
    readonly field?: string | Reference;
    /** The header of the answer that has the number of items at which pagination ends, by itself or behind a slash as in `items 0-24/66`. */
    readonly header?: string | Reference;
  };
  /** Ends the pagination after a number of pages, a time, or a volume. */
  readonly forceStop?: {
    /** Pagination ends after so many pages. Unit: pages. */
    readonly pages?: number | Reference;
    /** Pagination ends when so much time has passed: seconds, or words such as `1 hour`. Unit: seconds. */
    readonly time?: number | string | Reference;
    /** Pagination ends after so many bytes of answers. Unit: bytes. */
    readonly volume?: number | Reference;
  };
  /** Ends the pagination by a field of the answer. */
  readonly nextPageFlag?: {
    /** The key of the answer that says whether there is a next page. */
    readonly field?: string | Reference;
    /** The path in the answer of the field, in place of `field`, where it is no key of the answer itself. */
    readonly path?: string | Reference;
    /** The value of the field at which pagination ends: true or false. */
    readonly stopOn: boolean | Reference;
    /** The value that counts where the answer does not have the field. Default: as `stopOn`. */
    readonly ifNotSet?: boolean | Reference;
  };
  /** Whether a page without items ends the pagination, for APIs that give a token or an address on every page. */
  readonly stopWhenEmpty?: boolean | Reference;
  /** Where the answer says how many items there are: a path, or an object with `path` or `header`. Pagination goes on until they are there, and their number is checked. */
  readonly total?:
    | string
    | {
        /** The path in the answer of the number. */
        readonly path?: string | Reference;
        /** The header of the answer that has the number, by itself or behind a slash as in `items 0-24/66`. */
        readonly header?: string | Reference;
      }
    | Reference;
}

export interface PaginationPagenum {
  /** The method. */
  readonly method: 'pagenum';
  /** Where the number of the page stands: a parameter, or another [place](../pagination.md#places), whose template may have `{limit}`. */
  readonly pageParam?:
    | string
    | readonly (string | Reference)[]
    | {
        /** The header of the request that has the value. */
        readonly header?: string | Reference;
        /** The parameter that has the value, or the keys that lead to it. */
        readonly param?: string | readonly (string | Reference)[] | Reference;
        /** The string that is sent, with the value in it. */
        readonly template?: string | Reference;
      }
    | Reference;
  /** The page size. Without it no page size is sent, and pagination goes on until a page has no items. Unit: items. */
  readonly limit?: number | Reference;
  /** Where the page size stands, if there is a `limit`: a parameter, or another place. */
  readonly limitParam?:
    | string
    | readonly (string | Reference)[]
    | {
        /** The header of the request that has the value. */
        readonly header?: string | Reference;
        /** The parameter that has the value, or the keys that lead to it. */
        readonly param?: string | readonly (string | Reference)[] | Reference;
        /** The string that is sent, with the value in it. */
        readonly template?: string | Reference;
      }
    | Reference;
  /** The number of the first page. */
  readonly firstPage?: number | Reference;
  /** Whether the first request has the parameters of pagination as well. */
  readonly firstPageParams?: boolean;
  /** What a page means that has fewer items than the page size: it is the `last` one; or the API has `capped` it, or has `filtered` items out of it, and others follow, until a page has none. */
  readonly shortPage?: 'last' | 'capped' | 'filtered' | Reference;
  /** How many pages are requested at once. Pages still come in their order. Unit: requests. */
  readonly parallel?: number | Reference;
  /** Ends the pagination at a number of items. */
  readonly limitStop?: {
    /** Pagination ends when so many items were given. Unit: items. */
    readonly count?: number | Reference;
    /** The path in the answer of the number of items at which pagination ends. */
    readonly field?: string | Reference;
    /** The header of the answer that has the number of items at which pagination ends, by itself or behind a slash as in `items 0-24/66`. */
    readonly header?: string | Reference;
  };
  /** Ends the pagination after a number of pages, a time, or a volume. */
  readonly forceStop?: {
    /** Pagination ends after so many pages. Unit: pages. */
    readonly pages?: number | Reference;
    /** Pagination ends when so much time has passed: seconds, or words such as `1 hour`. Unit: seconds. */
    readonly time?: number | string | Reference;
    /** Pagination ends after so many bytes of answers. Unit: bytes. */
    readonly volume?: number | Reference;
  };
  /** Ends the pagination by a field of the answer. */
  readonly nextPageFlag?: {
    /** The key of the answer that says whether there is a next page. */
    readonly field?: string | Reference;
    /** The path in the answer of the field, in place of `field`, where it is no key of the answer itself. */
    readonly path?: string | Reference;
    /** The value of the field at which pagination ends: true or false. */
    readonly stopOn: boolean | Reference;
    /** The value that counts where the answer does not have the field. Default: as `stopOn`. */
    readonly ifNotSet?: boolean | Reference;
  };
  /** Whether a page without items ends the pagination, for APIs that give a token or an address on every page. */
  readonly stopWhenEmpty?: boolean | Reference;
  /** Where the answer says how many items there are: a path, or an object with `path` or `header`. Pagination goes on until they are there, and their number is checked. */
  readonly total?:
    | string
    | {
        /** The path in the answer of the number. */
        readonly path?: string | Reference;
        /** The header of the answer that has the number, by itself or behind a slash as in `items 0-24/66`. */
        readonly header?: string | Reference;
      }
    | Reference;
}

export interface PaginationResponseLink {
  /** The method. */
  readonly method: 'response.link';
  /** The relation type of the link to the next page. */
  readonly rel?: string | Reference;
  /** Whether later requests have the parameters of the job as well; the address of the next page wins over them. */
  readonly includeParams?: boolean;
  /** What a relative address of a next page is relative to: the endpoint of the job, the base URL, or the request before. */
  readonly relativeTo?: 'endpoint' | 'base' | 'request' | Reference;
  /** Ends the pagination at a number of items. */
  readonly limitStop?: {
    /** Pagination ends when so many items were given. Unit: items. */
    readonly count?: number | Reference;
    /** The path in the answer of the number of items at which pagination ends. */
    readonly field?: string | Reference;
    /** The header of the answer that has the number of items at which pagination ends, by itself or behind a slash as in `items 0-24/66`. */
    readonly header?: string | Reference;
  };
  /** Ends the pagination after a number of pages, a time, or a volume. */
  readonly forceStop?: {
    /** Pagination ends after so many pages. Unit: pages. */
    readonly pages?: number | Reference;
    /** Pagination ends when so much time has passed: seconds, or words such as `1 hour`. Unit: seconds. */
    readonly time?: number | string | Reference;
    /** Pagination ends after so many bytes of answers. Unit: bytes. */
    readonly volume?: number | Reference;
  };
  /** Ends the pagination by a field of the answer. */
  readonly nextPageFlag?: {
    /** The key of the answer that says whether there is a next page. */
    readonly field?: string | Reference;
    /** The path in the answer of the field, in place of `field`, where it is no key of the answer itself. */
    readonly path?: string | Reference;
    /** The value of the field at which pagination ends: true or false. */
    readonly stopOn: boolean | Reference;
    /** The value that counts where the answer does not have the field. Default: as `stopOn`. */
    readonly ifNotSet?: boolean | Reference;
  };
  /** Whether a page without items ends the pagination, for APIs that give a token or an address on every page. */
  readonly stopWhenEmpty?: boolean | Reference;
  /** Where the answer says how many items there are: a path, or an object with `path` or `header`. Pagination goes on until they are there, and their number is checked. */
  readonly total?:
    | string
    | {
        /** The path in the answer of the number. */
        readonly path?: string | Reference;
        /** The header of the answer that has the number, by itself or behind a slash as in `items 0-24/66`. */
        readonly header?: string | Reference;
      }
    | Reference;
}

export interface PaginationResponseParam {
  /** The method. */
  readonly method: 'response.param';
  /** The path in the answer of the value for the next page. */
  readonly responseParam?: string | Reference;
  /** The header of the answer that has the value, in place of `responseParam`. */
  readonly responseHeader?: string | Reference;
  /** Where the next request has the value: a parameter, or another [place](../pagination.md#places). */
  readonly queryParam:
    | string
    | readonly (string | Reference)[]
    | {
        /** The header of the request that has the value. */
        readonly header?: string | Reference;
        /** The parameter that has the value, or the keys that lead to it. */
        readonly param?: string | readonly (string | Reference)[] | Reference;
        /** The string that is sent, with the value in it. */
        readonly template?: string | Reference;
      }
    | Reference;
  /** Whether later requests have the parameters and the body of the job as well. Where a job has parameters and this is not written, a warning says that later requests lack them. Default: false. */
  readonly includeParams?: boolean;
  /** How later requests differ from the first one: endpoint, method, parameters. */
  readonly scrollRequest?: {
    /** The path or URL of later requests. */
    readonly endpoint?: string | Reference;
    /** The method of later requests. */
    readonly method?: 'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | Reference;
    /** Parameters of later requests. */
    readonly params?: { readonly [key: string]: unknown };
  };
  /** Ends the pagination at a number of items. */
  readonly limitStop?: {
    /** Pagination ends when so many items were given. Unit: items. */
    readonly count?: number | Reference;
    /** The path in the answer of the number of items at which pagination ends. */
    readonly field?: string | Reference;
    /** The header of the answer that has the number of items at which pagination ends, by itself or behind a slash as in `items 0-24/66`. */
    readonly header?: string | Reference;
  };
  /** Ends the pagination after a number of pages, a time, or a volume. */
  readonly forceStop?: {
    /** Pagination ends after so many pages. Unit: pages. */
    readonly pages?: number | Reference;
    /** Pagination ends when so much time has passed: seconds, or words such as `1 hour`. Unit: seconds. */
    readonly time?: number | string | Reference;
    /** Pagination ends after so many bytes of answers. Unit: bytes. */
    readonly volume?: number | Reference;
  };
  /** Ends the pagination by a field of the answer. */
  readonly nextPageFlag?: {
    /** The key of the answer that says whether there is a next page. */
    readonly field?: string | Reference;
    /** The path in the answer of the field, in place of `field`, where it is no key of the answer itself. */
    readonly path?: string | Reference;
    /** The value of the field at which pagination ends: true or false. */
    readonly stopOn: boolean | Reference;
    /** The value that counts where the answer does not have the field. Default: as `stopOn`. */
    readonly ifNotSet?: boolean | Reference;
  };
  /** Whether a page without items ends the pagination, for APIs that give a token or an address on every page. */
  readonly stopWhenEmpty?: boolean | Reference;
  /** Where the answer says how many items there are: a path, or an object with `path` or `header`. Pagination goes on until they are there, and their number is checked. */
  readonly total?:
    | string
    | {
        /** The path in the answer of the number. */
        readonly path?: string | Reference;
        /** The header of the answer that has the number, by itself or behind a slash as in `items 0-24/66`. */
        readonly header?: string | Reference;
      }
    | Reference;
}

export interface PaginationResponseUrl {
  /** The method. */
  readonly method: 'response.url';
  /** The path in the answer of the address of the next page. */
  readonly urlKey?: string | Reference;
  /** Whether the value is a query (`page=2&size=10`) for the endpoint of the job, and no address. */
  readonly paramIsQuery?: boolean;
  /** Whether later requests have the parameters of the job as well; the address of the next page wins over them. */
  readonly includeParams?: boolean;
  /** What a relative address of a next page is relative to: the endpoint of the job, the base URL, or the request before. */
  readonly relativeTo?: 'endpoint' | 'base' | 'request' | Reference;
  /** The header of the answer that has the address, in place of `urlKey`. */
  readonly urlHeader?: string | Reference;
  /** What separates the keys of `urlKey`. */
  readonly delimiter?: string | Reference;
  /** Ends the pagination at a number of items. */
  readonly limitStop?: {
    /** Pagination ends when so many items were given. Unit: items. */
    readonly count?: number | Reference;
    /** The path in the answer of the number of items at which pagination ends. */
    readonly field?: string | Reference;
    /** The header of the answer that has the number of items at which pagination ends, by itself or behind a slash as in `items 0-24/66`. */
    readonly header?: string | Reference;
  };
  /** Ends the pagination after a number of pages, a time, or a volume. */
  readonly forceStop?: {
    /** Pagination ends after so many pages. Unit: pages. */
    readonly pages?: number | Reference;
    /** Pagination ends when so much time has passed: seconds, or words such as `1 hour`. Unit: seconds. */
    readonly time?: number | string | Reference;
    /** Pagination ends after so many bytes of answers. Unit: bytes. */
    readonly volume?: number | Reference;
  };
  /** Ends the pagination by a field of the answer. */
  readonly nextPageFlag?: {
    /** The key of the answer that says whether there is a next page. */
    readonly field?: string | Reference;
    /** The path in the answer of the field, in place of `field`, where it is no key of the answer itself. */
    readonly path?: string | Reference;
    /** The value of the field at which pagination ends: true or false. */
    readonly stopOn: boolean | Reference;
    /** The value that counts where the answer does not have the field. Default: as `stopOn`. */
    readonly ifNotSet?: boolean | Reference;
  };
  /** Whether a page without items ends the pagination, for APIs that give a token or an address on every page. */
  readonly stopWhenEmpty?: boolean | Reference;
  /** Where the answer says how many items there are: a path, or an object with `path` or `header`. Pagination goes on until they are there, and their number is checked. */
  readonly total?:
    | string
    | {
        /** The path in the answer of the number. */
        readonly path?: string | Reference;
        /** The header of the answer that has the number, by itself or behind a slash as in `items 0-24/66`. */
        readonly header?: string | Reference;
      }
    | Reference;
}

export interface PaginationZendeskResponseUrl {
  /** The method. */
  readonly method: 'zendesk.response.url';
  /** The path in the answer of the address of the next page. */
  readonly urlKey?: string | Reference;
  /** Whether the value is a query (`page=2&size=10`) for the endpoint of the job, and no address. */
  readonly paramIsQuery?: boolean;
  /** Whether later requests have the parameters of the job as well; the address of the next page wins over them. */
  readonly includeParams?: boolean;
  /** What a relative address of a next page is relative to: the endpoint of the job, the base URL, or the request before. */
  readonly relativeTo?: 'endpoint' | 'base' | 'request' | Reference;
  /** Ends the pagination at a number of items. */
  readonly limitStop?: {
    /** Pagination ends when so many items were given. Unit: items. */
    readonly count?: number | Reference;
    /** The path in the answer of the number of items at which pagination ends. */
    readonly field?: string | Reference;
    /** The header of the answer that has the number of items at which pagination ends, by itself or behind a slash as in `items 0-24/66`. */
    readonly header?: string | Reference;
  };
  /** Ends the pagination after a number of pages, a time, or a volume. */
  readonly forceStop?: {
    /** Pagination ends after so many pages. Unit: pages. */
    readonly pages?: number | Reference;
    /** Pagination ends when so much time has passed: seconds, or words such as `1 hour`. Unit: seconds. */
    readonly time?: number | string | Reference;
    /** Pagination ends after so many bytes of answers. Unit: bytes. */
    readonly volume?: number | Reference;
  };
  /** Ends the pagination by a field of the answer. */
  readonly nextPageFlag?: {
    /** The key of the answer that says whether there is a next page. */
    readonly field?: string | Reference;
    /** The path in the answer of the field, in place of `field`, where it is no key of the answer itself. */
    readonly path?: string | Reference;
    /** The value of the field at which pagination ends: true or false. */
    readonly stopOn: boolean | Reference;
    /** The value that counts where the answer does not have the field. Default: as `stopOn`. */
    readonly ifNotSet?: boolean | Reference;
  };
  /** Whether a page without items ends the pagination, for APIs that give a token or an address on every page. */
  readonly stopWhenEmpty?: boolean | Reference;
  /** Where the answer says how many items there are: a path, or an object with `path` or `header`. Pagination goes on until they are there, and their number is checked. */
  readonly total?:
    | string
    | {
        /** The path in the answer of the number. */
        readonly path?: string | Reference;
        /** The header of the answer that has the number, by itself or behind a slash as in `items 0-24/66`. */
        readonly header?: string | Reference;
      }
    | Reference;
}

export interface Parameters {
  /** The address of this schema, for editors. */
  readonly $schema?: string | Reference;
  /** The remote API. */
  readonly api: Api;
  /** What to extract, and attributes that expressions read. */
  readonly config: Config;
  /** One run for each entry, whose keys replace those of `config`. */
  readonly iterations?: readonly Iteration[];
  /** An SSH server through which all requests go. */
  readonly sshProxy?: {
    /** The host of the SSH server. */
    readonly host: string | Reference;
    /** Its port. */
    readonly port: number | Reference;
    /** The user. */
    readonly user: string | Reference;
    /** The private key, as PEM or in the format of OpenSSH. */
    readonly '#privateKey': string | Reference;
  };
  /** Signs every request for AWS. */
  readonly aws?: {
    /** Signs every request with AWS Signature Version 4. */
    readonly signature: {
      /** Whose signature it is, for which service and region. */
      readonly credentials: {
        /** The id of the access key. */
        readonly accessKeyId: string | Reference;
        /** The secret key. */
        readonly '#secretKey': string | Reference;
        /** The service, as AWS writes it in signatures. */
        readonly serviceName: string | Reference;
        /** The region. */
        readonly regionName: string | Reference;
      };
    };
  };
  /** Keeps answers for later runs: true, or an object with `ttl`. */
  readonly cache?:
    | boolean
    | {
        /** How long an answer is kept. Unit: seconds. */
        readonly ttl?: number | Reference;
      }
    | Reference;
}

/** A value from outside of the configuration, which is never printed. */
export type Reference =
  | {
      /** The name of an environment variable. */
      readonly env: string;
      /** Whether the value must never be printed. Default: true. */
      readonly secret?: boolean;
    }
  | {
      /** The path of a file whose text is the value, without the line break at its end. */
      readonly file: string;
      /** Whether the value must never be printed. Default: true. */
      readonly secret?: boolean;
    };

export type Scroller =
  | PaginationConnection
  | PaginationCursor
  | PaginationKeyset
  | PaginationOffset
  | PaginationPagenum
  | PaginationResponseLink
  | PaginationResponseParam
  | PaginationResponseUrl
  | PaginationZendeskResponseUrl;

export interface SinkCsv {
  /** The address. */
  readonly to: string | Reference;
  /** How the files in a folder are compressed: `gzip` adds `.gz` to their names, such as `items.csv.gz`. Default: they are not. */
  readonly compress?: 'gzip' | Reference;
  /** Whether the ids of rows tell the place in their list, and the run, so that no two rows have the same one: each element of a list then joins to one row. Default: `false`, equal rows have equal ids, as the language has it. */
  readonly uniqueIds?: boolean | Reference;
  /** Of an address in a bucket (`…:s3://BUCKET/PREFIX`): the folder of this machine where pages wait until the commit, and new files are made. Default: `.headwater` in the current folder. */
  readonly journal?: string | Reference;
}

export interface SinkDuckdb {
  /** The address. */
  readonly to: string | Reference;
  /** What becomes of objects and lists in items, where the job does not say it: columns and linked tables, one column of JSON each, or one column of STRUCT or LIST each. Default: `tables`. */
  readonly nested?: 'tables' | 'json' | 'struct' | Reference;
}

export interface SinkNats {
  /** The address. */
  readonly to: string | Reference;
  /** The folder where progress is kept. Default: one in `.headwater` of the current folder. */
  readonly workFolder?: string | Reference;
}

export interface SinkNdjson {
  /** The address. */
  readonly to: string | Reference;
  /** What becomes of objects and lists in items of files in a folder, where the job does not say it: linked tables, or nothing, so that lines are items as they came. Default: `json`. */
  readonly nested?: 'tables' | 'json' | Reference;
  /** How the files in a folder are compressed: `gzip` adds `.gz` to their names, such as `items.csv.gz`. Default: they are not. */
  readonly compress?: 'gzip' | Reference;
  /** Whether each line on standard output is `{"dataType":…,"item":…}` in place of the item alone. Default: `false`. */
  readonly tag?: boolean | Reference;
  /** As `tag`, with `"extra":{…}`: the columns that tables add to items, such as `parent_id`. Default: `false`. */
  readonly tagExtra?: boolean | Reference;
  /** Of an address in a bucket (`…:s3://BUCKET/PREFIX`): the folder of this machine where pages wait until the commit, and new files are made. Default: `.headwater` in the current folder. */
  readonly journal?: string | Reference;
}

export interface SinkParquet {
  /** The address. */
  readonly to: string | Reference;
  /** What becomes of objects and lists in items, where the job does not say it: columns and linked tables, one column of JSON each, or one column of STRUCT or LIST each. Default: `tables`. */
  readonly nested?: 'tables' | 'json' | 'struct' | Reference;
  /** The column, or columns, by whose values the rows of each table are put into folders: `orders/country=CH/data_0.parquet`. Tables of lists stay one file each. */
  readonly partitionBy?: string | readonly (string | Reference)[] | Reference;
  /** Of an address in a bucket (`…:s3://BUCKET/PREFIX`): the folder of this machine where pages wait until the commit, and new files are made. Default: `.headwater` in the current folder. */
  readonly journal?: string | Reference;
}

export interface SinkPostgres {
  /** The address. */
  readonly to: string | Reference;
  /** What becomes of objects and lists in items, where the job does not say it: columns and linked tables, or one column of JSON each. Default: `tables`. */
  readonly nested?: 'tables' | 'json' | Reference;
  /** When readers see the rows of a run: all at its commit, or, where rows are added (`load` is `append`), with the pages that bring them. Default: `run`. */
  readonly visibility?: 'run' | 'page' | Reference;
}

export interface SinkSqlite {
  /** The address. */
  readonly to: string | Reference;
  /** What becomes of objects and lists in items, where the job does not say it: columns and linked tables, or one column of JSON each. Default: `tables`. */
  readonly nested?: 'tables' | 'json' | Reference;
}

export interface Wrapped {
  /** What stands in the root of the bare form. */
  readonly parameters: Parameters;
  /** What a host gives to OAuth types: it stands beside `parameters`. */
  readonly authorization?: unknown;
  /** What to do. Only `run` is known. */
  readonly action?: 'run' | Reference;
  /** What a host prescribes: it stands beside `parameters`. */
  readonly image_parameters?: {
    /** The hosts that may be called at all; an empty array allows all. */
    readonly allowed_hosts?: readonly {
      /** A host that may be called. */
      readonly host: string | Reference;
      /** The scheme of the URL. Default: any. */
      readonly scheme?: string | Reference;
      /** The port. Default: any. */
      readonly port?: number | Reference;
      /** The beginning of the path. Default: any. */
      readonly endpoint?: string | Reference;
    }[];
  };
  /** The address of this schema, for editors. */
  readonly $schema?: string | Reference;
  /** Files that this one is laid upon: their paths from here. */
  readonly extends?: string | readonly (string | Reference)[] | Reference;
}
