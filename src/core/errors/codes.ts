/** What can go wrong, by stable codes: programs branch on these. */
export type ErrorCode =
  | 'CONFIG_INVALID'
  | 'CONFIG_UNREADABLE'
  | 'EXPRESSION_FAILED'
  | 'API_STATUS'
  | 'API_NOT_JSON'
  | 'API_FORMAT'
  | 'API_SHAPE'
  | 'API_ERROR'
  | 'LOGIN_RESPONSE'
  /** A person has to log in first (`headwater login`). */
  | 'LOGIN_REQUIRED'
  /** A login by a person did not come to its end. */
  | 'LOGIN_FAILED'
  | 'NEXT_PAGE'
  | 'ORIGIN_REFUSED'
  | 'HOST_REFUSED'
  | 'TOO_MANY_REDIRECTS'
  | 'PAGE_LIMIT'
  /** The result of an asynchronous job was not there in time. */
  | 'JOB_TIMEOUT'
  /** The API says that there will be no result of an asynchronous job. */
  | 'JOB_FAILED'
  /** The run went through, but items are missing, or may be. */
  | 'INCOMPLETE'
  /** An item does not decode by the decoder of the application. */
  | 'ITEM_INVALID'
  /** The run went through, but jobs failed. */
  | 'JOBS_FAILED'
  /** There were warnings, and warnings were to be errors. */
  | 'WARNINGS'
  | 'TABLE_NAME'
  /** A table would get more columns than `config.maxColumns`, or than its destination takes. */
  | 'TABLE_COLUMNS'
  /** A run would replace the rows of a table by none, since no response had a value where its items should be. */
  | 'TABLE_EMPTIED'
  /** A value does not fit the type that the configuration gives its column, or no column of the destination holds it. */
  | 'COLUMN_TYPE'
  | 'NETWORK_RESOLVE'
  | 'NETWORK_CONNECT'
  | 'NETWORK_TIMEOUT'
  | 'NETWORK_TLS'
  | 'NETWORK_EMPTY'
  | 'NETWORK_RESET'
  | 'NETWORK_CERTIFICATE'
  | 'NETWORK_PROTOCOL'
  | 'SSH_TUNNEL'
  /** A proxy of the environment refuses the credentials or the host, or is none for HTTP. */
  | 'PROXY'
  /** A package that only one sink needs is not installed. */
  | 'PACKAGE_MISSING'
  /** Somebody else writes to the destination: wait, or name another one. */
  | 'DESTINATION_LOCKED'
  /** The destination cannot be reached or made: correct its address or its permissions. */
  | 'DESTINATION_ADDRESS'
  /** What is in the destination is not as it was written. */
  | 'DESTINATION_DAMAGED'
  /** The destination holds something else: another table, column type, key or state. */
  | 'DESTINATION_INCOMPATIBLE'
  /** A destination took no more: full, gone, or against its rules. */
  | 'SINK_FAILED'
  /** A run cannot go on as it is configured now. */
  | 'RESUME'
  /** The client of the run was closed. */
  | 'CLIENT_CLOSED'
  /** A run cannot go on: its pages are not as they were written. */
  | 'JOURNAL_DAMAGED'
  /** A statement about loaded data is none that only reads, or has an error. */
  | 'QUERY_REFUSED'
  /** A replay has no answer to a request: it was not recorded. */
  | 'NOT_RECORDED';
