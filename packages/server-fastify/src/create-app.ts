import type { Server } from 'node:http';
import { setImmediate as yieldToEventLoop, setTimeout as delay } from 'node:timers/promises';
import type { FastifyCorsOptions } from '@fastify/cors';
import { isProduction } from '@halyard/contracts';
import Fastify, { type FastifyHttpOptions, type FastifyInstance } from 'fastify';
import { limitRates } from './admission/limit-rates.ts';
import { defaultLimits, fixedLimits, type ServerLimits } from './admission/limits.ts';
import { serveHalyard } from './halyard.ts';
import { hookLimitFor } from './http/closing-time.ts';
import { replyToClientErrors, replyToOddRequests } from './http/connections/client-errors.ts';
import { closeAfterPipelined } from './http/connections/pipelined-requests.ts';
import { countRequests } from './http/count-requests.ts';
import { bodyLimitOf } from './http/endpoints/body-limit.ts';
import { sendError, sendNotFound, sendFailure } from './http/endpoints/send-failure.ts';
import { invalidRequest } from './http/errors/to-failure.ts';
import { verifiedUser } from './http/guards/access-hook.ts';
import { guardRequests } from './http/guards/guard-requests.ts';
import { protectRoutes } from './http/guards/protect-routes.ts';
import type { Internals } from './http/internals.ts';
import { loggerOptions, recordsFor } from './http/logging/create-logger.ts';
import { createRequestIds } from './http/logging/request-ids.ts';
import { RequestLog } from './http/logging/request-log.ts';
import type { RunningCalls } from './runtime/lifecycle/running-calls.ts';
import { ServerMetrics } from './runtime/metrics/server-metrics.ts';
import type { ServerOptions } from './server-options.ts';

/** How long open connections may delay the end of the server. */
const connectionsGraceMs = 1_000;
/**
 * How long the server still listens, so that clients learn with a reply that their connection
 * closes.
 */
const idleGraceMs = 100;
/** How many pending connections are accepted during shutdown. */
const maxAccepted = 5_000;
/** How often Node checks for requests that arrive too slowly. */
const timeoutCheckMs = 2_000;

/** How long a browser remembers the reply to a preflight request; Chromium's maximum. */
const preflightSeconds = 7_200;

const corsDefaults = {
  origin: true,
  methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
  maxAge: preflightSeconds,
  exposedHeaders: ['x-request-id', 'x-error-code', 'x-execution-id', 'retry-after'],
} satisfies FastifyCorsOptions;

/**
 * The Fastify app of `createServer`, with all settings that an app decides for itself when it
 * registers the plugin.
 */
export async function createApp(
  options: ServerOptions,
  internals: Internals & { readonly work: RunningCalls },
): Promise<FastifyInstance> {
  const { cors = false } = options;
  const limits = { ...defaultLimits, ...fixedLimits, ...options.limits, ...internals.limits };
  const requestIds = createRequestIds();
  const nextId = (): string => requestIds({ headers: {} });
  const logs = recordsFor(options.logger);
  const metrics = new ServerMetrics();
  const count = countRequests(metrics);
  const app: FastifyInstance = Fastify({
    ...serverOptions(options, limits),
    clientErrorHandler: replyToClientErrors(nextId),
    frameworkErrors: (error, request, reply) => {
      // No hook runs for them.
      count(request, reply, () => {});
      void sendError(error, request, reply);
    },
    logger: await loggerOptions(options.logger, logs),
    logController: new RequestLog({
      userOf: internals.userOf ?? verifiedUser,
      hasAccessControl: options.auth !== undefined,
    }),
    genReqId: requestIds,
  });

  replyToOddRequests(app.server, nextId);
  app.addHook('onRequest', closeAfterPipelined());
  app.addHook('onRequest', count);
  app.addHook('onRequest', guardRequests(limits.urlBytes));
  app.setErrorHandler(sendError);
  if (options.rateLimit === undefined) app.setNotFoundHandler(sendNotFound);
  if (cors !== false) {
    if (cors === true || (cors.preflight !== false && cors.strictPreflight !== false)) refuseOtherOptions(app);
    const { default: corsPlugin } = await import('@fastify/cors');
    await app.register(corsPlugin, { ...corsDefaults, ...(cors !== true && cors) });
  }
  const countRefused =
    options.rateLimit && (await limitRates(app, options.rateLimit, { sendNotFound, userOf: verifiedUser }));
  // After CORS: preflight requests have no credentials, and pages can read why a request was
  // refused.
  protectRoutes(app, options, { ...internals, prefix: options.prefix ?? '', ...(countRefused && { countRefused }) });
  await serveHalyard(app, options, {
    ...internals,
    logs,
    metrics,
    isGuarded: true,
    limitsRates: options.rateLimit !== undefined,
  });
  if (options.trustProxy === true) warnOfTrust(app);
  // After the plugin's own hook, which waits for running work.
  endConnections(app);
  return app;
}

function serverOptions({ trustProxy }: ServerOptions, limits: ServerLimits): FastifyHttpOptions<Server> {
  const { headersTimeoutMs, requestTimeoutMs } = limits;
  return {
    // Creating a child logger is expensive. It is needed only if requests are logged.
    childLoggerFactory: (parent, bindings, childOptions) =>
      logsRequests(parent.level) ? parent.child(bindings, childOptions) : parent,
    ...(trustProxy !== undefined && { trustProxy }),
    bodyLimit: bodyLimitOf('default', limits),
    requestTimeout: requestTimeoutMs,
    return503OnClosing: false,
    pluginTimeout: hookLimitFor(limits.shutdownGraceMs),
    // Long ids are refused by validation, with an error that names the field.
    // `/agents/` is the route `/agents`, and not `/agents/:id` with an empty id.
    routerOptions: { maxParamLength: 64 * 1024, ignoreTrailingSlash: true },
    http: {
      // Node would exchange the two times if that for the headers were longer.
      headersTimeout: requestTimeoutMs === 0 ? headersTimeoutMs : Math.min(headersTimeoutMs, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: timeoutCheckMs,
      // The request guard checks the header: Node's own reply would not have our envelope.
      requireHostHeader: false,
    },
  };
}

function warnOfTrust(app: FastifyInstance): void {
  app.addHook('onListen', async () => {
    if (isProduction())
      app.log.warn(
        {},
        'with `trustProxy: true` a client can invent its address, and so evade all limits of an address: set the addresses of the proxies, such as `uniquelocal` for all private ones',
      );
  });
}

function logsRequests(level: string): boolean {
  return ['info', 'debug', 'trace'].includes(level);
}

/**
 * Refuses `OPTIONS` without the headers of a preflight request, which the plugin would answer
 * without the envelope.
 */
function refuseOtherOptions(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { headers, method } = request;
    const isPreflight = headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
    if (method !== 'OPTIONS' || isPreflight) done();
    else {
      const message = 'OPTIONS needs the headers of a preflight request: origin and access-control-request-method';
      sendFailure(reply, invalidRequest('INVALID_REQUEST', message));
    }
  });
}

/** Closes connections that would otherwise delay the close of the server. */
function endConnections(app: FastifyInstance): void {
  const { server } = app;
  let timer: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    // When Node stops listening, it closes idle connections, also one whose next request is on its
    // way.
    if (await hasConnections(server)) await delay(idleGraceMs);
    await acceptPending(server);
    timer = setTimeout(() => server.closeAllConnections(), connectionsGraceMs);
  });
  app.addHook('onClose', async () => clearTimeout(timer));
}

async function hasConnections(server: Server): Promise<boolean> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count > 0)));
}

/**
 * Accepts the connections in the system's queue, which resets them when the server stops listening.
 * One turn of the event loop accepts one connection.
 */
async function acceptPending(server: Server): Promise<void> {
  let accepted = 0;
  const onConnection = (): void => {
    accepted += 1;
  };
  server.on('connection', onConnection);
  for (let before = -1; before < accepted && accepted < maxAccepted;) {
    before = accepted;
    await yieldToEventLoop();
    await yieldToEventLoop();
  }
  server.off('connection', onConnection);
}
