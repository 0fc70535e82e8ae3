import { ConfigurationError } from '@halyard/contracts';

/** The limits of a server. Each one is an option with a default. */
export interface Limits {
  /** Requests in progress of one caller, without streams. Default 200. */
  readonly requestsPerCaller: number;
  /** Requests in progress of all callers, without streams. Default 2000. */
  readonly requestsPerProcess: number;
  /** Open streams of one caller. Default 50. */
  readonly streamsPerCaller: number;
  /** Open streams of all callers. Default 500. */
  readonly streamsPerProcess: number;
  /** Open WebSockets of one caller. Default 100. */
  readonly webSocketsPerCaller: number;
  /** Open WebSockets of all callers. Default 1000. */
  readonly webSocketsPerProcess: number;
  /**
   * Lists, searches, exports and metrics of one caller that are read at the same time. Further ones
   * of this caller wait. Default 4.
   */
  readonly listsPerCaller: number;
  /**
   * Bytes of all request bodies whose requests are in progress and of replies that are not read
   * yet. Bodies and replies of up to 64 KiB do not count. Default 128 MiB.
   */
  readonly bytesInProgress: number;
  /**
   * While the event loop is delayed by more than this for two seconds or longer, requests are
   * refused, except health checks. Default 1 s.
   */
  readonly eventLoopDelayMs: number;
  /** Length of a URL. Default 8 KiB. */
  readonly urlBytes: number;
  /** Body of a request on most routes. Default 1 MiB. */
  readonly bodyBytes: number;
  /** Body of a request on agent routes, which accept files. Default 8 MiB. */
  readonly agentBodyBytes: number;
  /** Body of `POST /api/memory/save-messages`. Default 4 MiB. */
  readonly messagesBodyBytes: number;
  /** Nesting of a JSON body. Default 64. */
  readonly jsonDepth: number;
  /** Values in a JSON body on most routes, including objects and arrays. Default 10 000. */
  readonly jsonValues: number;
  /** Values in a JSON body on agent routes. Default 100 000. */
  readonly agentJsonValues: number;
  /** Values in the body of `POST /api/memory/save-messages`. Default 100 000. */
  readonly messagesJsonValues: number;
  /**
   * JSON of a value that an execution stores: its input, context, metadata and state, the output of
   * a step, the data of a suspension and its reply, and the data of a replay. Default 4 MiB.
   */
  readonly executionValueBytes: number;
  /**
   * JSON of a page of executions, events, traces, spans, runs or log lines. A single larger item is
   * still returned. Pages of messages have the limit of their memory. Default 4 MiB.
   */
  readonly pageBytes: number;
  /**
   * Message that a WebSocket client sends. A larger one closes the connection (1009). Default 64
   * KiB.
   */
  readonly webSocketMessageBytes: number;
  /**
   * Data that a WebSocket client has not read. More closes the connection (1013). Default 1 MiB.
   */
  readonly webSocketBufferBytes: number;
  /** Time to receive the headers of a request, at most `requestTimeoutMs`. Default 10 s. */
  readonly headersTimeoutMs: number;
  /** Time to receive a whole request. Default 30 s. */
  readonly requestTimeoutMs: number;
  /**
   * Interval of the comments that keep an open stream alive, and of WebSocket pings. A WebSocket
   * without a pong is closed. Default 15 s.
   */
  readonly pingMs: number;
  /**
   * How long a request waits for an execution before it returns status `running`. Default 120 s.
   */
  readonly executeWaitMs: number;
  /**
   * How long a request waits while its conversation has a run, if its agent lets it wait. Default
   * 60 s.
   */
  readonly busyWaitMs: number;
  /** How long a request to suspend or cancel waits for the execution to stop. Default 10 s. */
  readonly suspendWaitMs: number;
  /** How long `GET /readyz` waits for the storage and the vector stores. Default 2 s. */
  readonly readinessMs: number;
  /**
   * How long the server still accepts requests after a signal to stop, while `GET /readyz` already
   * returns 503: until the load balancer has noticed. Default 0.
   */
  readonly shutdownDelayMs: number;
  /** How long running requests and streams may continue when the server closes. Default 25 s. */
  readonly shutdownGraceMs: number;
  /**
   * How long before the end of `shutdownGraceMs` the `signal` of running workflow steps aborts.
   * From `shutdownGraceMs` on, it aborts at once. Default 5 s.
   */
  readonly shutdownAbortMs: number;
}

interface Limit {
  readonly default: number;
  readonly unit: 'slots' | 'bytes' | 'levels' | 'values' | 'ms';
  /** Completes the sentence "It protects …". */
  readonly protects: string;
}

const kib = 1024;
const mib = 1024 * kib;

/** Every limit, in the order of `docs/limits.md`, whose tables are tested against this one. */
export const limitTable: Readonly<Record<keyof Limits, Limit>> = {
  requestsPerCaller: { default: 200, unit: 'slots', protects: 'other callers from a client that sends too much' },
  requestsPerProcess: { default: 2000, unit: 'slots', protects: 'the memory of the process' },
  streamsPerCaller: {
    default: 50,
    unit: 'slots',
    protects: 'other callers from a client that opens streams without end',
  },
  streamsPerProcess: { default: 500, unit: 'slots', protects: 'the memory of the process' },
  webSocketsPerCaller: {
    default: 100,
    unit: 'slots',
    protects: 'other callers from a page that reconnects without end',
  },
  webSocketsPerProcess: { default: 1000, unit: 'slots', protects: 'the memory of the process' },
  listsPerCaller: { default: 4, unit: 'slots', protects: 'the connections of the database from one caller' },
  bytesInProgress: { default: 128 * mib, unit: 'bytes', protects: 'the memory from many uploads and slow readers' },
  eventLoopDelayMs: { default: 1_000, unit: 'ms', protects: 'requests in progress from further load' },
  urlBytes: { default: 8 * kib, unit: 'bytes', protects: 'logs and the router from long URLs' },
  bodyBytes: { default: mib, unit: 'bytes', protects: 'the memory, and other callers from long parsing' },
  agentBodyBytes: { default: 8 * mib, unit: 'bytes', protects: 'the memory from large files in chats' },
  messagesBodyBytes: { default: 4 * mib, unit: 'bytes', protects: 'the memory from large imports' },
  jsonDepth: { default: 64, unit: 'levels', protects: 'code that walks a value recursively' },
  jsonValues: { default: 10_000, unit: 'values', protects: 'other callers from long validation' },
  agentJsonValues: { default: 100_000, unit: 'values', protects: 'other callers from long validation' },
  messagesJsonValues: { default: 100_000, unit: 'values', protects: 'other callers from long validation' },
  executionValueBytes: {
    default: 4 * mib,
    unit: 'bytes',
    protects: 'the memory of each process that runs the execution',
  },
  pageBytes: { default: 4 * mib, unit: 'bytes', protects: 'the memory from pages of large items' },
  webSocketMessageBytes: { default: 64 * kib, unit: 'bytes', protects: 'the memory from large messages' },
  webSocketBufferBytes: { default: mib, unit: 'bytes', protects: 'the memory from clients that do not read' },
  headersTimeoutMs: { default: 10_000, unit: 'ms', protects: 'sockets from clients that send slowly' },
  requestTimeoutMs: { default: 30_000, unit: 'ms', protects: 'sockets from clients that send slowly' },
  pingMs: { default: 15_000, unit: 'ms', protects: 'silent connections from the idle timeout of proxies' },
  executeWaitMs: { default: 120_000, unit: 'ms', protects: 'clients from the timeout of proxies' },
  busyWaitMs: { default: 60_000, unit: 'ms', protects: 'clients from waiting without end' },
  suspendWaitMs: { default: 10_000, unit: 'ms', protects: 'clients from steps that ignore their signal' },
  readinessMs: { default: 2_000, unit: 'ms', protects: 'load balancers from a database that does not answer' },
  shutdownDelayMs: { default: 0, unit: 'ms', protects: 'clients whose load balancer notices late' },
  shutdownGraceMs: { default: 25_000, unit: 'ms', protects: 'deploys from work that does not end' },
  shutdownAbortMs: { default: 5_000, unit: 'ms', protects: 'steps from being ended without a warning' },
};

export const defaultLimits: Limits = Object.fromEntries(
  Object.entries(limitTable).map(([name, limit]) => [name, limit.default]),
) as { readonly [Name in keyof Limits]: number };

/** About 11 days. Timers take less than 25 days, and some limits are doubled or added to others. */
const longestMs = 1_000_000_000;

/** Zero would be an interval without a pause, and lists that wait forever. */
const atLeastOne: ReadonlySet<string> = new Set<keyof Limits>(['listsPerCaller', 'pingMs']);

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
