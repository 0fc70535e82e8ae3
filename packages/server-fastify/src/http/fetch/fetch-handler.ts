import { isIP } from 'node:net';
import { ConfigurationError, isProduction } from '@halyard/contracts';
import type { FastifyInstance } from 'fastify';
import type { ServerOptions } from '../../server-options.ts';
import { clientClosedRequest } from '../count-requests.ts';
import { FetchReply } from './fetch-reply.ts';
import { FetchRequest } from './fetch-request.ts';
import { FetchSocket, unknownAddress } from './fetch-socket.ts';

/** What an adapter knows of a request that the `Request` does not say. */
export interface FetchOptions {
  /**
   * The IP address that the request came from: that of the connection, or the one that the platform
   * names beside the request. Not the value of a header, which the client may have set. Without it,
   * callers without a user share the limits of one caller, unless `trustProxy` names the proxy.
   */
  readonly remoteAddress?: string | undefined;
}

export type FetchHandler = (request: Request, options?: FetchOptions) => Promise<Response>;

/** Serves an app by its routes, without listening. The app becomes ready with the first request. */
export function fetchHandler(
  app: FastifyInstance,
  { auth, trustProxy }: Pick<ServerOptions, 'auth' | 'trustProxy'>,
): FetchHandler {
  let ready: Promise<void> | undefined;
  let hasWarned = false;

  const start = async (): Promise<void> => {
    await app.ready();
    if (isProduction() && auth === undefined)
      app.log.warn({}, 'everyone whose requests reach server.fetch can use all of this server: set the option `auth`');
  };
  const warnOfUnknown = (): void => {
    hasWarned = true;
    app.log.warn(
      {},
      'server.fetch does not know the addresses of its callers: those without a user share the limits of one caller. Pass `remoteAddress`, or set `trustProxy`',
    );
  };

  return async (request, options = {}) => {
    const remoteAddress = acceptAddress(options.remoteAddress);
    await (ready ??= start());
    if (remoteAddress === unknownAddress && trustProxy === undefined && !hasWarned && isProduction()) warnOfUnknown();
    const { signal } = request;
    if (signal.aborted) return clientClosed();

    const url = new URL(request.url);
    const socket = new FetchSocket(remoteAddress, url.protocol === 'https:');
    const incoming = new FetchRequest(request, url, socket);
    const reply = new FetchReply(incoming);
    const leave = (): void => {
      incoming.abort();
      reply.destroy();
    };
    signal.addEventListener('abort', leave, { once: true });
    socket.once('close', leave);
    reply.once('close', () => {
      signal.removeEventListener('abort', leave);
      socket.destroy();
    });
    // As Node's server does with a request from the network.
    app.server.emit('request', incoming, reply);
    try {
      return await reply.response;
    } catch (error) {
      // Nobody reads this, but adapters report a rejection as a fault.
      if (signal.aborted) return clientClosed();
      throw error;
    }
  };
}

function acceptAddress(address: string | undefined): string {
  if (address === undefined || address === '') return unknownAddress;
  if (typeof address === 'string' && isIP(address) !== 0) return address;
  throw new ConfigurationError(`\`remoteAddress\` of server.fetch must be an IP address without a port: ${address}`);
}

function clientClosed(): Response {
  return new Response(null, { status: clientClosedRequest });
}
