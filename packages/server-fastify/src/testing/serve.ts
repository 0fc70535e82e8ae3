import { connect, type Socket } from 'node:net';
import type { ExecutionEngine } from '@halyard/contracts';
import type { FixedLimits, Limits, ServerLimits } from '../admission/limits.ts';
import type { AnyEndpoint } from '../api/define/endpoint.ts';
import { endpoints as api } from '../api/routes/index.ts';
import { createServerWithInternals, type HalyardServer } from '../create-server.ts';
import type { Internals } from '../http/internals.ts';
import type { ServerOptions } from '../server-options.ts';
import type { ReplyCheck } from './reply-check.ts';
import { splitLimits } from './split-limits.ts';
import { sharedCheckOf, watchReplies } from './watch-replies.ts';

export interface Served extends HalyardServer {
  readonly origin: string;
  readonly port: number;
}

const hour = 3_600_000;

/** Time limits that a busy machine cannot reach. A test about one of them sets its own. */
export const unreachableLimits = {
  pingMs: hour,
  shutdownGraceMs: hour,
  executeWaitMs: hour,
  busyWaitMs: hour,
  suspendWaitMs: hour,
  eventLoopDelayMs: hour,
  requestTimeoutMs: hour,
} satisfies Partial<Limits>;

const unreachableFixed = {
  shutdownAbortMs: hour,
  readinessMs: hour,
  headersTimeoutMs: hour,
} satisfies Partial<FixedLimits>;

/** The options of a server for a test, which may also replace the limits that are no options. */
export interface ServedOptions extends Omit<ServerOptions, 'limits'> {
  readonly limits?: Partial<ServerLimits> | undefined;
}

/**
 * A server on a free port, with the endpoints of a test and those of the API. The test decides
 * which user is verified. Its time limits and its lease do not depend on the machine.
 *
 * Closing it fails the test if a reply differs from the API document.
 */
export async function serve(
  endpoints: readonly AnyEndpoint[] = [],
  {
    channels,
    limits,
    overload,
    schemaTimeLimitMs = hour,
    userOf,
    ...options
  }: ServedOptions & Pick<Internals, 'channels' | 'overload' | 'schemaTimeLimitMs' | 'userOf'> = {},
  check: ReplyCheck = sharedCheckOf(options.prefix),
): Promise<Served> {
  const [ownLimits, fixed] = splitLimits({ ...unreachableLimits, ...unreachableFixed, ...limits });
  const server = await createServerWithInternals(
    {
      logger: 'silent',
      signals: false,
      enableSwaggerUI: false,
      leaseMs: hour,
      limits: ownLimits,
      engine: await engineOfTests(),
      ...options,
    },
    {
      endpoints: [...api, ...endpoints],
      schemaTimeLimitMs,
      limits: fixed,
      ...(channels !== undefined && { channels }),
      ...(overload !== undefined && { overload }),
      ...(userOf !== undefined && { userOf }),
    },
  );
  const judge = watchReplies(server.app.server, check);
  const origin = await server.listen({ port: 0 });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    // The server would wait 100 ms for further requests on the connections that `fetch` keeps open.
    if (closed === undefined) server.app.server.closeIdleConnections();
    return (closed ??= server.close().then(judge));
  };
  return { ...server, close, origin, port: Number(new URL(origin).port) };
}

/** Whether executions are in an engine: a case that looks below its storage is skipped. */
export const isOnEngine: boolean = process.env['HALYARD_ENGINE'] !== undefined;

/**
 * The variable `HALYARD_ENGINE` names a module with an `engine`, on which the tests run instead of
 * their storage: see `vitest.config.ts`.
 */
async function engineOfTests(): Promise<ExecutionEngine | undefined> {
  const path = process.env['HALYARD_ENGINE'];
  if (path === undefined) return undefined;
  const { engine } = (await import(path)) as { readonly engine: ExecutionEngine };
  return engine;
}

/** Sends raw bytes and returns all received bytes when the server closes the connection. */
export async function exchange(port: number, bytes: string): Promise<string> {
  const socket = open(port);
  socket.write(bytes);
  let answer = '';
  for await (const chunk of socket.setEncoding('latin1')) answer += chunk;
  return answer;
}

export function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  return socket;
}

export const endpoint = { tier: 'public', tag: 'Test', summary: 'For a test' } as const;

export function json(body: unknown): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}
