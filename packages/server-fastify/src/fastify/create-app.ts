import type { Server } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyCorsOptions } from '@fastify/cors';
import Fastify, { type FastifyHttpOptions, type FastifyInstance } from 'fastify';
import type { RunningWork } from '../lifecycle/running-work.ts';
import { defaultLimits, type Limits } from '../limits.ts';
import type { ServerOptions } from '../server-options.ts';
import { verifiedUser } from './access-hook.ts';
import { answerClientErrors } from './client-errors.ts';
import { hookLimitFor } from './closing-time.ts';
import { loggerOptions, recordsFor } from './create-logger.ts';
import { guardRequests } from './guard-requests.ts';
import { type Internals, serveHalyard } from './halyard.ts';
import { limitRates } from './limit-rates.ts';
import { protectRoutes } from './protect-routes.ts';
import { createRequestIds } from './request-ids.ts';
import { RequestLog } from './request-log.ts';
import { answerError, answerNotFound } from './send-failure.ts';

/** How long connections that are not in use, or half sent, may hold up the end. */
const connectionsGraceMs = 1_000;
/** How long connections without a request may have one that was sent already. */
const idleGraceMs = 100;
/** How many of those that have connected are taken, when more and more come. */
const greatestAccepted = 5_000;
/** How often Node looks for requests that take too long to arrive. */
const timeoutCheckMs = 2_000;

const corsDefaults = {
  origin: true,
  methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
  exposedHeaders: ['x-request-id', 'x-error-code', 'x-execution-id', 'retry-after'],
} satisfies FastifyCorsOptions;

/** The Fastify app of a server: everything that an app of one's own would decide for itself. */
export async function createApp(
  options: ServerOptions,
  internals: Internals & { readonly work: RunningWork },
): Promise<FastifyInstance> {
  const { cors = false } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const requestIds = createRequestIds();
  const logs = recordsFor(options.logger);
  const app: FastifyInstance = Fastify({
    ...serverOptions(options, limits),
    logger: await loggerOptions(options.logger, logs),
    logController: new RequestLog(internals.userOf ?? verifiedUser),
    genReqId: requestIds,
  });

  answerClientErrors(app, () => requestIds({ headers: {} }));
  app.addHook('onRequest', guardRequests(limits.urlBytes));
  app.setErrorHandler(answerError);
  if (options.rateLimit === undefined) app.setNotFoundHandler(answerNotFound);
  if (cors !== false) {
    const { default: corsPlugin } = await import('@fastify/cors');
    await app.register(corsPlugin, { ...corsDefaults, ...(cors !== true && cors) });
  }
  // After CORS: preflights carry no credentials, and pages may read why they were refused.
  protectRoutes(app, options, { ...internals, prefix: options.prefix ?? '' });
  if (options.rateLimit !== undefined) await limitRates(app, options.rateLimit);
  await serveHalyard(app, options, { ...internals, logs, isGuarded: true });
  // After the plugin's own hook, which waits for what runs.
  endConnections(app);
  return app;
}

function serverOptions({ trustProxy }: ServerOptions, limits: Limits): FastifyHttpOptions<Server> {
  return {
    // A child logger costs more than many a request: only what is logged per request needs one.
    childLoggerFactory: (parent, bindings, childOptions) =>
      logsRequests(parent.level) ? parent.child(bindings, childOptions) : parent,
    ...(trustProxy !== undefined && { trustProxy }),
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    return503OnClosing: false,
    pluginTimeout: hookLimitFor(limits.shutdownGraceMs),
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
    // Ids of any length reach validation, which says what is wrong with them.
    routerOptions: { maxParamLength: 64 * 1024 },
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: timeoutCheckMs,
      // Node's own answer would not be ours: the guard of requests looks for the header.
      requireHostHeader: false,
    },
  };
}

function logsRequests(level: string): boolean {
  return ['info', 'debug', 'trace'].includes(level);
}

/** Connections that nobody answers on any more must not keep the server from closing. */
function endConnections(app: FastifyInstance): void {
  const { server } = app;
  const closeIdle = server.closeIdleConnections.bind(server);
  const timers: NodeJS.Timeout[] = [];
  app.addHook('preClose', async () => {
    await acceptWaiting(server);
    // Node ends idle connections as soon as it listens no longer, also those whose next request is on its way.
    server.closeIdleConnections = () => {};
    timers.push(
      setTimeout(closeIdle, idleGraceMs),
      setTimeout(() => server.closeAllConnections(), connectionsGraceMs),
    );
  });
  app.addHook('onClose', async () => timers.forEach(clearTimeout));
}

/**
 * Takes those that have connected: they wait in a queue of the system, of which a turn of the event loop takes one, and the system resets what is in it when
 * the server listens no longer.
 */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0;
  const onConnection = (): void => {
    accepted += 1;
  };
  server.on('connection', onConnection);
  for (let before = -1; before < accepted && accepted < greatestAccepted;) {
    before = accepted;
    await turn();
    await turn();
  }
  server.off('connection', onConnection);
}
