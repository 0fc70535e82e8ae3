import { HalyardError } from '@halyard/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { Caller } from '../access/caller.ts';
import { subjectOf } from '../access/identity.ts';
import { closingMs, type OpenSockets } from '../channels/open-sockets.ts';
import { SocketConnection } from '../channels/socket-connection.ts';
import type { Channel } from '../define/define-channel.ts';
import type { Services } from '../define/services.ts';
import { invalidRequest } from '../errors/to-failure.ts';
import type { RunningWork } from '../lifecycle/running-work.ts';
import { refuse } from './client-errors.ts';
import type { UserOf } from './endpoint-call.ts';
import { refuseWhileDraining } from './guard-requests.ts';
import { createRequestIds } from './request-ids.ts';
import { sendFailure } from './send-failure.ts';
import { upgradesFor } from './upgrades.ts';

/** What the channels of one server share. */
export interface ChannelSurroundings {
  readonly services: Services;
  readonly sockets: OpenSockets;
  readonly work: RunningWork;
  readonly userOf: UserOf;
  /** Whether a credential of the request's own was verified: a page elsewhere does not have it. */
  readonly isVerified: (request: FastifyRequest) => boolean;
}

/** Serves channels in a scope of `app`. Whatever refuses a connection answers as HTTP, before the upgrade. */
export async function registerChannels(
  app: FastifyInstance,
  scope: FastifyInstance,
  channels: readonly Channel[],
  surroundings: ChannelSurroundings,
): Promise<void> {
  const paths = channels.map(({ url }) => `${scope.prefix}${url}`);
  // An app that has it already has its own limits, and its own way to close.
  if (!scope.hasDecorator('websocketServer')) await acceptWebSockets(app, scope, paths, surroundings);
  for (const channel of channels) registerChannel(scope, channel, surroundings);
}

async function acceptWebSockets(
  app: FastifyInstance,
  scope: FastifyInstance,
  paths: readonly string[],
  { services }: ChannelSurroundings,
): Promise<void> {
  const { default: webSockets } = await import('@fastify/websocket');
  const options = {
    server: upgradesFor(app, paths),
    maxPayload: services.limits.webSocketMessageBytes,
    // A small message could become a large one.
    perMessageDeflate: false,
    closeTimeout: closingMs,
  };
  await scope.register(webSockets, {
    options,
    // Peers that break the protocol are told and closed by `ws`; what channels throw is seen to by their connection.
    errorHandler: (error, _socket, request) => request.log.debug({ err: error }, 'a WebSocket failed'),
    // Sockets are closed with the rest of the server's work.
    preClose: (done) => {
      scope.websocketServer.close();
      done();
    },
  });
  const nextId = createRequestIds();
  scope.websocketServer.on('wsClientError', (error, socket, request) =>
    refuse(
      socket,
      invalidRequest('INVALID_REQUEST', `This is no WebSocket handshake: ${error.message}`),
      nextId(request),
    ),
  );
}

function registerChannel(scope: FastifyInstance, channel: Channel, surroundings: ChannelSurroundings): void {
  const { query, url } = channel;
  const { isVerified, services, sockets, userOf, work } = surroundings;
  scope.route({
    method: 'GET',
    url,
    exposeHeadRoute: false,
    schema: { hide: true, ...(query !== undefined && { querystring: query }) },
    onRequest: refuseWhileDraining(work),
    // The last thing before the upgrade: nothing comes between counting and taking a place.
    preHandler: (request, reply, done) => {
      if (request.ws) {
        checkOrigin(request, reply, isVerified);
        subjectOf(callerOf(request, userOf));
        sockets.checkRoom();
      }
      done();
    },
    handler: (_request, reply) => {
      reply.header('upgrade', 'websocket').header('connection', 'upgrade');
      return sendFailure(reply, invalidRequest('UPGRADE_REQUIRED', `${url} is a WebSocket: connect with ws:`, 426));
    },
    wsHandler: (socket: WebSocket, request: FastifyRequest) => {
      const { log, query: asked } = request;
      const connection = new SocketConnection(socket, {
        limits: services.limits,
        report: (error) => log.error({ err: error, channel: url }, 'a channel failed'),
      });
      sockets.enter(connection);
      const caller = callerOf(request, userOf);
      connection.attempt(() => channel.open(connection, { caller, query: asked, services }));
    },
  });
}

function callerOf(request: FastifyRequest, userOf: UserOf): Caller {
  return { user: userOf(request), address: request.ip };
}

/**
 * Browsers let any page open a WebSocket to any address, and no CORS stops them: a page elsewhere must bring a credential, or be one
 * that `cors` lets read answers.
 */
function checkOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
  isVerified: ChannelSurroundings['isVerified'],
): void {
  const { origin } = request.headers;
  if (origin === undefined || isSameOrigin(origin, request.host) || isVerified(request)) return;
  // The answer of `@fastify/cors`, which ran before, whoever registered it.
  const allowed = reply.getHeader('access-control-allow-origin');
  if (allowed === '*' || allowed === origin) return;
  throw new HalyardError('forbidden', 'ORIGIN_NOT_ALLOWED', 'Pages of other origins need a credential to connect');
}

/** Behind a proxy that ends TLS the scheme is another. */
function isSameOrigin(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
