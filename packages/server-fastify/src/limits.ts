import { ConfigurationError } from '@halyard/contracts';

/** The limits of a server. Each one is an option with a default. */
export interface Limits {
  /** Maximum size of the body on most routes. Default 1 MiB. */
  readonly bodyBytes: number;
  /** Maximum size of the body on agent routes, which accept files. Default 8 MiB. */
  readonly agentBodyBytes: number;
  /** Maximum size of the body of `POST /api/memory/save-messages`. Default 4 MiB. */
  readonly messagesBodyBytes: number;
  /**
   * Bytes in the bodies of requests in progress, streams included, and in answers that are not read yet, of one user, or of one address without a verified user.
   * A body without a `content-length` counts as the largest that its route accepts, until it has arrived. Bodies and answers of up to 64 KiB do not count.
   * Default 64 MiB.
   */
  readonly transferBytesPerCaller: number;
  /** The same of all callers. Default 128 MiB. */
  readonly transferBytesPerProcess: number;
  /** Maximum nesting of a JSON body. Default 64. */
  readonly jsonDepth: number;
  /**
   * Maximum number of values in a JSON body on most routes, those of objects and arrays included: checking and storing many takes long, in which no other request is
   * handled. Default 10 000.
   */
  readonly jsonValues: number;
  /** The same on agent routes, whose bodies may contain long conversations. Default 100 000. */
  readonly agentJsonValues: number;
  /** The same for `POST /api/memory/save-messages`. Default 100 000. */
  readonly messagesJsonValues: number;
  /** Maximum length of the URL. Default 8 KiB. */
  readonly urlBytes: number;
  /**
   * Maximum size of a value that an execution stores, in bytes of JSON: its input, context, metadata and state, the output of a step, the data of a
   * suspension and its answer, and the data of a replay. Default 4 MiB.
   */
  readonly executionValueBytes: number;
  /**
   * Maximum size of a page of executions, and of the events in it, in bytes of JSON. A single larger execution is still returned. Pages of messages have the
   * limit of their memory. Default 4 MiB.
   */
  readonly pageBytes: number;
  /** Requests in progress of one user, or of one address without a verified user; streams have their own limit. Default 200. */
  readonly requestsPerCaller: number;
  /** Requests in progress of all callers. Default 2000. */
  readonly requestsPerProcess: number;
  /**
   * Requests for lists, searches, exports and metrics that run at the same time, of one user, or of one address without a verified user; its further ones wait.
   * Default 4.
   */
  readonly listsPerCaller: number;
  /** The same of all callers: fewer than the connections to the database, so that some stay free for other requests. Default 7. */
  readonly listsPerProcess: number;
  /** Open streams of one user, or of one address without a verified user. Default 50. */
  readonly streamsPerCaller: number;
  /** Open streams of all callers. Default 500. */
  readonly streamsPerProcess: number;
  /** Schemas of `/object` and `/stream-object` that wait until they are compiled, of one user, or of one address without a verified user. Default 20. */
  readonly schemasPerCaller: number;
  /** Schemas of all callers that wait until they are compiled. Default 200. */
  readonly schemasPerProcess: number;
  /** Open WebSockets of one user, or of one address without a verified user. Default 100. */
  readonly webSocketsPerCaller: number;
  /** Open WebSockets of all callers. Default 1000. */
  readonly webSocketsPerProcess: number;
  /** Maximum size of a client's message. A larger one closes the connection with 1009. Default 64 KiB. */
  readonly webSocketMessageBytes: number;
  /** Maximum size of the data that a slow client has not read. More closes the connection with 1013. Default 1 MiB. */
  readonly webSocketBufferBytes: number;
  /** Interval of the comments that keep an open stream alive, and of WebSocket pings. A WebSocket without a pong is closed. Default 15 s. */
  readonly pingMs: number;
  /**
   * How long the server still accepts requests after a signal to stop, while `GET /readyz` already answers 503: until the load balancer has
   * noticed. Default 0.
   */
  readonly shutdownDelayMs: number;
  /** How long running requests and streams may continue when the server closes. Default 25 s. */
  readonly shutdownGraceMs: number;
  /** How long before the end of `shutdownGraceMs` the `signal` of running workflow steps aborts. From `shutdownGraceMs` on, it aborts at once. Default 5 s. */
  readonly shutdownAbortMs: number;
  /** How long a request waits for an execution before it is answered with status `running`. Default 120 s. */
  readonly executeWaitMs: number;
  /** How long a request waits while its conversation is being answered, if its agent lets it wait. Default 60 s. */
  readonly busyWaitMs: number;
  /** How long a request for a list waits for its turn. Default 30 s. */
  readonly listWaitMs: number;
  /** How long a request to suspend or cancel waits for the execution to stop. Default 10 s. */
  readonly suspendWaitMs: number;
  /** How long `GET /readyz` waits for the storage and the vector stores. Default 2 s. */
  readonly readinessMs: number;
  /**
   * Further requests are refused while the event loop is delayed by more than this, for two seconds or longer; health checks are not.
   * Default 1 s.
   */
  readonly eventLoopDelayMs: number;
  /** How long a client may read nothing of an answer of more than 64 KiB before it is disconnected, and up to twice this time. Default 30 s. */
  readonly unreadAnswerMs: number;
  /** How long a client may take to send its headers: at most `requestTimeoutMs`, which includes them. Default 10 s. */
  readonly headersTimeoutMs: number;
  /** How long a client may take to send the whole request. Default 30 s. */
  readonly requestTimeoutMs: number;
}

export const defaultLimits: Limits = {
  bodyBytes: 1024 * 1024,
  agentBodyBytes: 8 * 1024 * 1024,
  messagesBodyBytes: 4 * 1024 * 1024,
  transferBytesPerCaller: 64 * 1024 * 1024,
  transferBytesPerProcess: 128 * 1024 * 1024,
  jsonDepth: 64,
  jsonValues: 10_000,
  agentJsonValues: 100_000,
  messagesJsonValues: 100_000,
  urlBytes: 8 * 1024,
  executionValueBytes: 4 * 1024 * 1024,
  pageBytes: 4 * 1024 * 1024,
  requestsPerCaller: 200,
  requestsPerProcess: 2000,
  listsPerCaller: 4,
  listsPerProcess: 7,
  streamsPerCaller: 50,
  streamsPerProcess: 500,
  schemasPerCaller: 20,
  schemasPerProcess: 200,
  webSocketsPerCaller: 100,
  webSocketsPerProcess: 1000,
  webSocketMessageBytes: 64 * 1024,
  webSocketBufferBytes: 1024 * 1024,
  pingMs: 15_000,
  shutdownDelayMs: 0,
  shutdownGraceMs: 25_000,
  shutdownAbortMs: 5_000,
  executeWaitMs: 120_000,
  busyWaitMs: 60_000,
  listWaitMs: 30_000,
  suspendWaitMs: 10_000,
  readinessMs: 2_000,
  eventLoopDelayMs: 1_000,
  unreadAnswerMs: 30_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
};

/** About 11 days. Timers take less than 25 days, and some limits are doubled or added to others. */
const longestMs = 1_000_000_000;

/** Zero would be an interval without a pause, and lists that wait forever. */
const atLeastOne: ReadonlySet<string> = new Set<keyof Limits>(['listsPerCaller', 'listsPerProcess', 'pingMs']);

/** @throws ConfigurationError for a limit that is not a whole number, or that is out of range. */
export function checkLimits(limits: Readonly<Partial<Record<keyof Limits, unknown>>>): void {
  for (const [name, value] of Object.entries(limits)) {
    const least = atLeastOne.has(name) ? 1 : 0;
    const most = name.endsWith('Ms') ? longestMs : Number.MAX_SAFE_INTEGER;
    if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) continue;
    const found = typeof value === 'number' ? value : JSON.stringify(value);
    throw new ConfigurationError(
      `The option \`limits.${name}\` must be a whole number from ${least} to ${most}, not ${found}`,
    );
  }
}
