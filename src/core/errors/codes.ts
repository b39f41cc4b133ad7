/** The stable codes of errors: programs branch on these. */
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
  /** A login by a person did not complete. */
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
  /** The run reached its end, but items are missing, or may be. */
  | 'INCOMPLETE'
  /** An item does not decode by the decoder of the application. */
  | 'ITEM_INVALID'
  /** The run reached its end, but jobs failed. */
  | 'JOBS_FAILED'
  /** There were warnings, and the options make warnings errors. */
  | 'WARNINGS'
  | 'TABLE_NAME'
  /** A table would have more columns than `config.maxColumns` or its destination allows. */
  | 'TABLE_COLUMNS'
  /** A run would replace the rows of a table by no rows, because no response had a value in the place of its items. */
  | 'TABLE_EMPTIED'
  /** No row of a table has a column of its primary key. */
  | 'KEY_NOT_FOUND'
  /** A run would replace the rows of a table that another configuration fills. */
  | 'TABLE_TAKEN'
  /** A doubtful run would replace a table by one with fewer rows. */
  | 'TABLE_SHRUNK'
  /**
   * A value does not fit the type that the configuration gives its column, or no column type of the destination holds
   * it.
   */
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
  /** A proxy of the environment refuses the credentials or the host, or does not speak HTTP. */
  | 'PROXY'
  /** A package that only one sink needs is not installed. */
  | 'PACKAGE_MISSING'
  /** Another process writes to the destination: wait, or name another destination. */
  | 'DESTINATION_LOCKED'
  /** The destination cannot be reached or created: correct its address or its permissions. */
  | 'DESTINATION_ADDRESS'
  /** The content of the destination is not what was written. */
  | 'DESTINATION_DAMAGED'
  /** The destination holds something else: another table, column type, key or state. */
  | 'DESTINATION_INCOMPATIBLE'
  /** A destination refused a write: it is full, gone, or has rules against it. */
  | 'SINK_FAILED'
  /** No Temporal server answers, or it has no such namespace. */
  | 'CLUSTER_UNREACHABLE'
  /** The cluster knows no run of this id. */
  | 'RUN_UNKNOWN'
  /** A run of this id, or another one into the same destination, is under way. */
  | 'RUN_ACTIVE'
  | 'RUN_CANCELLED'
  /** A part belongs to a run that was stored or cancelled, or whose place another run has taken. */
  | 'RUN_OVER'
  /** A later attempt makes this part of a run: this process has to stop. */
  | 'PART_TAKEN'
  /** A run cannot resume with the current configuration. */
  | 'RESUME'
  /** The client of the run was closed. */
  | 'CLIENT_CLOSED'
  /** A run cannot resume: its pages are not as they were written. */
  | 'JOURNAL_DAMAGED'
  /** A statement about loaded data has an error, or does more than read. */
  | 'QUERY_REFUSED'
  /** A replay has no response for a request: it was not recorded. */
  | 'NOT_RECORDED';
