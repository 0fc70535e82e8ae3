/** What a server allows; every figure is an option. */
export interface Limits {
  /** Largest body of most routes. */
  readonly bodyBytes: number;
  /** Largest body of agent routes, which carry files. */
  readonly agentBodyBytes: number;
  /** Largest body of `POST /api/memory/save-messages`. */
  readonly messagesBodyBytes: number;
  readonly jsonDepth: number;
  readonly urlBytes: number;
  /** Open streams of one user, or one address where the user is not known. */
  readonly streamsPerCaller: number;
  readonly streamsPerProcess: number;
  readonly webSocketsPerProcess: number;
  /** Largest message of a client; it is closed with 1009 for a larger one. */
  readonly webSocketMessageBytes: number;
  /** How much waits for a client that does not read before it is closed with 1013. */
  readonly webSocketBufferBytes: number;
  /** How often an open stream gets a comment that keeps proxies from closing it, and a WebSocket a ping: one that did not answer the last is closed. */
  readonly pingMs: number;
  /** How long running requests and streams may go on once the server closes. */
  readonly shutdownGraceMs: number;
  /** How long an execution is waited for before its request is answered with `running`. */
  readonly executeWaitMs: number;
  /** How long a chat waits for its turn in a conversation that is being answered, where its agent lets it. */
  readonly liveAnswerWaitMs: number;
  /** How long a suspension or cancellation from outside waits for the execution to stop. */
  readonly suspendWaitMs: number;
  /** How long `GET /readyz` waits for storage and vectors. */
  readonly readinessMs: number;
  /** How long a client may take to send its headers, and its whole request. */
  readonly headersTimeoutMs: number;
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
  liveAnswerWaitMs: 60_000,
  suspendWaitMs: 10_000,
  readinessMs: 2_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
};
