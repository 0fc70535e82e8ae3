import type { IncomingHttpHeaders } from 'node:http';
import { type AuthRequest, type Clock, isHalyardError, type User } from '@halyard/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AccessRefusedError } from '../access/access-refused-error.ts';
import type { Authorized } from '../access/authorize.ts';
import type { Access } from '../access/create-access.ts';
import { readCredentials } from '../access/credentials.ts';
import { Rejections } from '../access/rejections.ts';
import type { Requirement } from '../access/requirement.ts';
import { invalidRequest, toFailure } from '../errors/to-failure.ts';
import { hangUp } from './client-errors.ts';
import { sendFailure } from './send-failure.ts';

const verified = new WeakMap<FastifyRequest, Authorized>();
/** In the config of a route: which route it belongs to, where that is another, and whether it takes WebSockets. */
const partOf = Symbol('halyard.partOf');
const takesWebSockets = Symbol('halyard.takesWebSockets');

/**
 * The user whom the token of a request was verified to speak for; undefined where the route is public, or the console key or the dev
 * bypass opened it. For routes of the app's own.
 */
export function verifiedUser(request: FastifyRequest): User | undefined {
  return verified.get(request)?.user;
}

/** Whether a token or the console key let the request in. */
export function hasCredential(request: FastifyRequest): boolean {
  return verified.get(request)?.hasCredential ?? false;
}

/** What the hook goes by. */
export interface AccessHookOptions {
  readonly access: Access;
  /** What comes before every path of the server. */
  readonly prefix: string;
  readonly rejectedPerMinute: number | false;
  readonly clock: Clock;
}

/**
 * Lets requests through that bring what their route requires, before their bodies are read: those of every route that `app` gets, and
 * where no route matches. The only place that applies access control.
 */
export function guardAccess(app: FastifyInstance, options: AccessHookOptions): void {
  const { access, clock, rejectedPerMinute } = options;
  const requirementOf = requirements(options);
  const rejections = rejectedPerMinute === false ? undefined : new Rejections(rejectedPerMinute, clock);
  app.addHook('onRoute', (route) => {
    const { websocket, wsHandler }: { websocket?: unknown; wsHandler?: unknown } = route;
    if (websocket === true || wsHandler !== undefined)
      route.config = Object.assign({}, route.config, { [takesWebSockets]: true });
  });
  app.addHook('onRequest', async (request, reply) => {
    const isWebSocket = isUpgrade(request);
    const requirement = requirementOf(request, isWebSocket);
    if (requirement === 'public') return undefined;
    const credentials = readCredentials({
      headers: request.headers,
      query: request.query as Record<string, unknown>,
      isWebSocket,
    });
    try {
      verified.set(request, await access.authorize(requirement, credentials, new SeenRequest(request)));
      return undefined;
    } catch (error) {
      if (isHandedOver(request)) {
        // Nobody reads requests from such a connection any more, and nobody else ends it.
        reply.header('connection', 'close').raw.once('finish', () => hangUp(request.raw.socket));
      }
      // Answered here: the app's own handling of errors need not know what this one means.
      return refuse(error, request, reply, rejections);
    }
  });
}

/** Has the routes that `scope` gets require what `url` does: the files of a page belong to it. */
export function belongTo(scope: FastifyInstance, url: string): void {
  scope.addHook('onRoute', (route) => {
    route.config = Object.assign({}, route.config, belongsTo(url));
  });
}

/** What the config of a route that belongs to another says. */
export function belongsTo(url: string): object {
  return { [partOf]: url };
}

/** A route requires the same each time. */
function requirements({
  access,
  prefix,
}: AccessHookOptions): (request: FastifyRequest, isWebSocket: boolean) => Requirement {
  const base = prefix.replace(/\/+$/, '');
  const known = new Map<string, Requirement>();
  return (request, isWebSocket) => {
    const { config } = request.routeOptions;
    const method = request.method;
    // Only methods and patterns of routes that there are come here: the map cannot grow with requests.
    const key = `${isWebSocket ? 'WS' : method} ${config.url}`;
    let requirement = known.get(key);
    if (requirement === undefined) {
      const place = partOfRoute(config);
      const url = place === undefined ? belowPrefix(config.url, base) : place;
      requirement = access.requirementOf({
        method,
        url: url ?? config.url,
        isWebSocket,
        isBelowPrefix: url !== undefined,
      });
      known.set(key, requirement);
    }
    return requirement;
  };
}

function partOfRoute(config: object): string | undefined {
  const url: unknown = Reflect.get(config, partOf);
  return typeof url === 'string' ? url : undefined;
}

function belowPrefix(url: string | undefined, base: string): string | undefined {
  if (url === undefined || base === '') return url;
  if (url === base) return '/';
  return url.startsWith(`${base}/`) ? url.slice(base.length) : undefined;
}

/**
 * Whether the connection was handed over to become a WebSocket, and the route makes one of it. A header alone makes no upgrade: anybody
 * can send it, and to routes that would answer it like any request.
 */
function isUpgrade(request: FastifyRequest): boolean {
  return isHandedOver(request) && Reflect.has(request.routeOptions.config, takesWebSockets);
}

function isHandedOver({ raw }: FastifyRequest): boolean {
  return Reflect.get(raw, 'upgrade') === true;
}

function refuse(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  rejections: Rejections | undefined,
): FastifyReply {
  const waitSeconds = isRejection(error) ? rejections?.add(request.ip) : undefined;
  if (waitSeconds === undefined) {
    if (!isHalyardError(error)) request.log.error({ err: error, requestId: request.id }, 'access could not be decided');
    return sendFailure(reply, toFailure(error, request.id));
  }
  const message = 'Too many rejected credentials from this address';
  return sendFailure(reply, { ...invalidRequest('TOO_MANY_REJECTIONS', message, 429), retryAfter: waitSeconds });
}

function isRejection(error: unknown): boolean {
  return error instanceof AccessRefusedError && error.isRejection;
}

/** A class, because getters of an object literal cost a hidden class for every request. */
class SeenRequest implements AuthRequest {
  readonly #request: FastifyRequest;

  constructor(request: FastifyRequest) {
    this.#request = request;
  }

  get method(): string {
    return this.#request.method;
  }

  get path(): string {
    return this.#request.url.split(/[?#]/, 1)[0] ?? '';
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  get address(): string {
    return this.#request.ip;
  }
}
