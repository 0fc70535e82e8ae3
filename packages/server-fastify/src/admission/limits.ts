import { ConfigurationError } from '@halyard/contracts';

/** The limits of a server. Each one is an option with a default. */
export interface Limits {
  /**
   * Requests in progress of one caller, without streams. All callers together have ten times as
   * many. Default 200.
   */
  readonly requestsPerCaller: number;
  /** Open streams of one caller. All callers together have ten times as many. Default 50. */
  readonly streamsPerCaller: number;
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
  /**
   * Body of a request to an agent, which may contain files. `POST /api/memory/save-messages`
   * accepts half of it, other routes an eighth. Default 8 MiB.
   */
  readonly bodyBytes: number;
  /** Values in a JSON body, including objects and arrays. Default 100 000. */
  readonly jsonValues: number;
  /**
   * JSON of a value that an execution stores: its input, context, metadata and state, the output of
   * a step, the data of a suspension and its resume data, and the data of a replay. Default 4 MiB.
   */
  readonly executionValueBytes: number;
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
  /**
   * How long the server still accepts requests after a signal to stop, while `GET /readyz` already
   * returns 503: until the load balancer has noticed. Default 0.
   */
  readonly shutdownDelayMs: number;
  /** How long running requests and streams may continue when the server closes. Default 25 s. */
  readonly shutdownGraceMs: number;
}

interface Limit {
  readonly default: number;
  readonly unit: 'slots' | 'bytes' | 'values' | 'ms';
  /** Completes the sentence "It protects …". */
  readonly protects: string;
}

const kib = 1024;
const mib = 1024 * kib;

/** Every limit, in the order of `docs/limits.md`, whose tables are tested against this one. */
export const limitTable: Readonly<Record<keyof Limits, Limit>> = {
  requestsPerCaller: { default: 200, unit: 'slots', protects: 'other callers from a client that sends too much' },
  streamsPerCaller: {
    default: 50,
    unit: 'slots',
    protects: 'other callers from a client that opens streams without end',
  },
  bytesInProgress: { default: 128 * mib, unit: 'bytes', protects: 'the memory from many uploads and slow readers' },
  eventLoopDelayMs: { default: 1_000, unit: 'ms', protects: 'requests in progress from further load' },
  bodyBytes: { default: 8 * mib, unit: 'bytes', protects: 'the memory, and other callers from long parsing' },
  jsonValues: { default: 100_000, unit: 'values', protects: 'other callers from long validation' },
  executionValueBytes: {
    default: 4 * mib,
    unit: 'bytes',
    protects: 'the memory of each process that runs the execution',
  },
  requestTimeoutMs: { default: 30_000, unit: 'ms', protects: 'sockets from clients that send slowly' },
  pingMs: { default: 15_000, unit: 'ms', protects: 'silent connections from the idle timeout of proxies' },
  executeWaitMs: { default: 120_000, unit: 'ms', protects: 'clients from the timeout of proxies' },
  busyWaitMs: { default: 60_000, unit: 'ms', protects: 'clients from waiting without end' },
  suspendWaitMs: { default: 10_000, unit: 'ms', protects: 'clients from steps that ignore their signal' },
  shutdownDelayMs: { default: 0, unit: 'ms', protects: 'clients whose load balancer notices late' },
  shutdownGraceMs: { default: 25_000, unit: 'ms', protects: 'deploys from work that does not end' },
};

export const defaultLimits: Limits = Object.fromEntries(
  Object.entries(limitTable).map(([name, limit]) => [name, limit.default]),
) as { readonly [Name in keyof Limits]: number };

/**
 * The limits that are no options: nobody has a reason to change them. Tests replace them. Each row
 * says what it protects.
 */
export const fixedLimits = {
  /** Open WebSockets, which show logs and events to operators: other callers. */
  webSocketsPerCaller: 100,
  webSocketsPerProcess: 1_000,
  /** Lists, searches, exports and metrics that are read at once: the connections of the database. */
  listsPerCaller: 4,
  /** Length of a URL: logs and the router. */
  urlBytes: 8 * kib,
  /** Nesting of a JSON body: code that walks a value recursively. */
  jsonDepth: 64,
  /**
   * JSON of a page of executions, events, traces, spans, runs or log lines: the memory. A single
   * larger item is still returned. Pages of messages have the limit of their memory.
   */
  pageBytes: 4 * mib,
  /** Message of a WebSocket client: the memory. A larger one closes the connection (1009). */
  webSocketMessageBytes: 64 * kib,
  /** Data that a WebSocket client has not read: the memory. More closes the connection (1013). */
  webSocketBufferBytes: mib,
  /** The shortest time between two reads of what waits for a WebSocket of approvals: the database. */
  approvalsPauseMs: 1_000,
  /** Time to receive the headers of a request: sockets. */
  headersTimeoutMs: 10_000,
  /** The wait of `GET /readyz` for the storage and the vector stores: load balancers. */
  readinessMs: 2_000,
  /**
   * How long before the end of `shutdownGraceMs` the `signal` of running workflow steps aborts:
   * steps that would be ended without a warning.
   */
  shutdownAbortMs: 5_000,
};

export type FixedLimits = Readonly<typeof fixedLimits>;
export type ServerLimits = Limits & FixedLimits;

/** About 11 days. Timers take less than 25 days, and some limits are doubled or added to others. */
const longestMs = 1_000_000_000;

/** Zero would be an interval without a pause. */
const atLeastOne: ReadonlySet<string> = new Set<keyof Limits>(['pingMs']);

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
