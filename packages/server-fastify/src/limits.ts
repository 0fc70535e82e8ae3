/** The limits of a server. Each one is an option with a default. */
export interface Limits {
  /** Maximum size of the body on most routes. Default 1 MiB. */
  readonly bodyBytes: number;
  /** Maximum size of the body on agent routes, which accept files. Default 8 MiB. */
  readonly agentBodyBytes: number;
  /** Maximum size of the body of `POST /api/memory/save-messages`. Default 4 MiB. */
  readonly messagesBodyBytes: number;
  /** Maximum nesting of a JSON body. Default 64. */
  readonly jsonDepth: number;
  /** Maximum length of the URL. Default 8 KiB. */
  readonly urlBytes: number;
  /** Open streams of one user, or of one address without a verified user. Default 50. */
  readonly streamsPerCaller: number;
  /** Open streams of all callers. Default 500. */
  readonly streamsPerProcess: number;
  /** Open WebSockets of all callers. Default 1000. */
  readonly webSocketsPerProcess: number;
  /** Maximum size of a client's message. A larger one closes the connection with 1009. Default 64 KiB. */
  readonly webSocketMessageBytes: number;
  /** Maximum size of the data that a slow client has not read. More closes the connection with 1013. Default 1 MiB. */
  readonly webSocketBufferBytes: number;
  /** Interval of the comments that keep an open stream alive, and of WebSocket pings. A WebSocket without a pong is closed. Default 15 s. */
  readonly pingMs: number;
  /** How long running requests and streams may continue when the server closes. Default 25 s. */
  readonly shutdownGraceMs: number;
  /** How long a request waits for an execution before it is answered with status `running`. Default 120 s. */
  readonly executeWaitMs: number;
  /** How long a request waits while its conversation is being answered, if its agent lets it wait. Default 60 s. */
  readonly busyWaitMs: number;
  /** How long a request to suspend or cancel waits for the execution to stop. Default 10 s. */
  readonly suspendWaitMs: number;
  /** How long `GET /readyz` waits for the storage and the vector stores. Default 2 s. */
  readonly readinessMs: number;
  /** How long a client may take to send its headers. Default 10 s. */
  readonly headersTimeoutMs: number;
  /** How long a client may take to send the whole request. Default 30 s. */
  readonly requestTimeoutMs: number;
}

export const defaultLimits: Limits = {
  bodyBytes: 1024 * 1024,
  agentBodyBytes: 8 * 1024 * 1024,
  messagesBodyBytes: 4 * 1024 * 1024,
  jsonDepth: 64,
  urlBytes: 8 * 1024,
  streamsPerCaller: 50,
  streamsPerProcess: 500,
  webSocketsPerProcess: 1000,
  webSocketMessageBytes: 64 * 1024,
  webSocketBufferBytes: 1024 * 1024,
  pingMs: 15_000,
  shutdownGraceMs: 25_000,
  executeWaitMs: 120_000,
  busyWaitMs: 60_000,
  suspendWaitMs: 10_000,
  readinessMs: 2_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
};
