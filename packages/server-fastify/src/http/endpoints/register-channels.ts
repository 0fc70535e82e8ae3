import type { TSchema } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { callerKey } from '../../access/identity.ts';
import type { Admission } from '../../admission/admission.ts';
import { closingMs, type OpenSockets } from '../../api/channels/open-sockets.ts';
import { closeCodes } from '../../api/channels/protocol.ts';
import { SocketConnection } from '../../api/channels/socket-connection.ts';
import type { Channel, ChannelCall } from '../../api/define/define-channel.ts';
import type { Services } from '../../api/services.ts';
import type { RunningCalls } from '../../runtime/lifecycle/running-calls.ts';
import { refuse } from '../connections/client-errors.ts';
import { upgradesFor } from '../connections/upgrades.ts';
import { invalidRequest } from '../errors/to-failure.ts';
import { FetchRequest } from '../fetch/fetch-request.ts';
import { refuseWork } from '../guards/guard-requests.ts';
import { isOfRefusedSite, originNotAllowed } from '../guards/other-sites.ts';
import { createRequestIds } from '../logging/request-ids.ts';
import { toCaller, type UserOf } from './endpoint-call.ts';
import { sendFailure } from './send-failure.ts';

/** A token is checked again after that: its client connects again. */
const tokenMs = 15 * 60_000;

/** The dependencies of all channels of a server. */
export interface ChannelDependencies {
  readonly services: Services;
  readonly sockets: OpenSockets;
  readonly work: RunningCalls;
  readonly admission: Admission;
  readonly userOf: UserOf;
  /** Whether the request had a valid credential, which a page of another site cannot send. */
  readonly isVerified: (request: FastifyRequest) => boolean;
}

/**
 * Serves channels in a scope of `app`. A refused connection gets an HTTP reply before the upgrade.
 */
export async function registerChannels(
  app: FastifyInstance,
  scope: FastifyInstance,
  channels: readonly Channel[],
  dependencies: ChannelDependencies,
): Promise<void> {
  const paths = channels.map(({ url }) => `${scope.prefix}${url}`);
  // An app that has registered the plugin already has its own limits and its own close handling.
  if (!scope.hasDecorator('websocketServer')) await acceptWebSockets(app, scope, paths, dependencies);
  for (const channel of channels) registerChannel(scope, channel, dependencies);
}

async function acceptWebSockets(
  app: FastifyInstance,
  scope: FastifyInstance,
  paths: readonly string[],
  { services }: ChannelDependencies,
): Promise<void> {
  const { default: webSockets } = await import('@fastify/websocket');
  const options = {
    server: upgradesFor(app, paths),
    maxPayload: services.limits.webSocketMessageBytes,
    // A small compressed message could become a large one.
    perMessageDeflate: false,
    // A client that sends many messages at once delays nobody else: each is handled in its own tick
    // of the event loop.
    allowSynchronousEvents: false,
    closeTimeout: closingMs,
  };
  await scope.register(webSockets, {
    options,
    // `ws` closes connections that violate the protocol, and SocketConnection handles the errors of
    // channels.
    errorHandler: (error, _socket, request) => request.log.debug({ err: error }, 'a WebSocket failed'),
    // The open sockets are closed with the other work of the server.
    preClose: (done) => {
      scope.websocketServer.close();
      done();
    },
  });
  const nextId = createRequestIds();
  scope.websocketServer.on('wsClientError', (error, socket, request) =>
    refuse(
      socket,
      invalidRequest('INVALID_REQUEST', `The request is not a valid WebSocket handshake: ${error.message}`),
      nextId(request),
    ),
  );
}

function registerChannel(scope: FastifyInstance, channel: Channel, dependencies: ChannelDependencies): void {
  const { query, url } = channel;
  const { admission, isVerified, services, sockets, userOf, work } = dependencies;
  scope.route({
    method: 'GET',
    url,
    exposeHeadRoute: false,
    schema: { hide: true, ...(query !== undefined && { querystring: query }) },
    onRequest: refuseWork(work, admission.overload),
    // Directly before the upgrade, so that no other request is handled between the check and
    // `enter`.
    preHandler: (request, reply, done) => {
      if (request.ws) {
        // Browsers let any page open a WebSocket to any address without CORS, but they always send
        // its origin.
        const isPage = request.headers.origin !== undefined;
        if (isPage && !isVerified(request) && isOfRefusedSite(request, reply))
          throw originNotAllowed('need a credential to connect', proxyAdvice);
        admission.webSockets.check(callerKey(toCaller(request, userOf)));
      }
      done();
    },
    handler: ({ raw }, reply) => {
      reply.header('upgrade', 'websocket').header('connection', 'upgrade');
      const advice =
        raw instanceof FetchRequest
          ? 'server.fetch cannot open it, so connect to a server that listens'
          : 'connect with ws:';
      return sendFailure(reply, invalidRequest('UPGRADE_REQUIRED', `${url} is a WebSocket: ${advice}`, 426));
    },
    wsHandler: (socket: WebSocket, request: FastifyRequest) => {
      const { log, query: asked } = request;
      const connection = new SocketConnection(socket, {
        limits: services.limits,
        report: (error) => log.error({ err: error, channel: url }, 'a channel failed'),
      });
      const caller = toCaller(request, userOf);
      connection.onClose(admission.webSockets.take(callerKey(caller)));
      if (caller.user !== undefined || caller.tokenUser !== undefined) {
        const end = setTimeout(() => connection.close(closeCodes.serviceRestart, 'connect again'), tokenMs).unref();
        connection.onClose(() => clearTimeout(end));
      }
      sockets.enter(connection);
      const closing = new AbortController();
      connection.onClose(() => closing.abort());
      const readList: ChannelCall<TSchema>['readList'] = (read) =>
        admission.lists.run(callerKey(caller), closing, read);
      connection.attempt(() => channel.open(connection, { caller, query: asked, readList, services }));
    },
  });
}

/**
 * Without `Sec-Fetch-Site`, which not every handshake of a browser has, only the host tells own
 * pages from others.
 */
const proxyAdvice =
  'Behind a proxy that replaces the header `Host`, let it pass on the original one, or send `X-Forwarded-Host` and set the option `trustProxy`';
