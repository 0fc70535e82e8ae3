import { type AuthRequest, type Clock, HalyardError, isHalyardError, type User } from '@halyard/contracts';
import { networkForAddress } from '@halyard/core/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AccessRefusedError } from '../../access/access-refused-error.ts';
import { type Authorized, hasKey } from '../../access/authorize.ts';
import { grantsForRoute, type RoleRule } from '../../access/console-roles.ts';
import type { Access } from '../../access/create-access.ts';
import { type Credentials, readCredentials } from '../../access/credentials.ts';
import { findUserId } from '../../access/identity.ts';
import { type Requirement, requiresNothing } from '../../access/policy.ts';
import { Rejections } from '../../access/rejections.ts';
import type { ResolvedRoute } from '../../access/route-pattern.ts';
import type { Targets } from '../../access/targets.ts';
import { hangUp } from '../connections/client-errors.ts';
import { sendFailure } from '../endpoints/send-failure.ts';
import { invalidRequest, toFailure } from '../errors/to-failure.ts';
import { needsKeyPage, sendKeyPage } from '../pages/key-page.ts';
import type { LocalRequests } from './local-requests.ts';
import { isChangeOfRefusedSite, refuseChange } from './other-sites.ts';
import { findTicket } from './takes-tickets.ts';

/** The decision of the access control about a request. */
interface Authorization extends Authorized {
  /**
   * Whether the request has the console key or the dev bypass and no user, or the server has no
   * access control.
   */
  readonly isOperator: boolean;
}

const verified = new WeakMap<FastifyRequest, Authorization>();
const anonymous: Authorization = { user: undefined, hasCredential: false, isOperator: false };
const unlimited: Authorization = { ...anonymous, isOperator: true };
/**
 * Keys in the config of a route: the route that it belongs to, whether it accepts WebSockets, and
 * the credential that a request requires for the agent, tool or workflow in its path.
 */
const partOf = Symbol('halyard.partOf');
const acceptsWebSockets = Symbol('halyard.acceptsWebSockets');
const byTarget = Symbol('halyard.byTarget');

/**
 * The verified user of a request, for the app's own routes. Undefined on public routes and for
 * requests with the console key or the dev bypass.
 */
export function verifiedUser(request: FastifyRequest): User | undefined {
  return verified.get(request)?.user;
}

/** Whether the request had a valid token or console key. */
export function hasCredential(request: FastifyRequest): boolean {
  return verified.get(request)?.hasCredential ?? false;
}

/** The decision of the access control about a request; undefined if it has not run. */
export function findAuthorization(request: FastifyRequest): Authorization | undefined {
  return verified.get(request);
}

/**
 * Without access control: every request to a route that is added to `app` from here on is an
 * operator's, unless the app names a user.
 */
export function trustEverybody(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    verified.set(request, unlimited);
    done();
  });
}

export interface AccessHookOptions {
  readonly access: Access;
  /** The prefix of every path of the server. */
  readonly prefix: string;
  readonly rejectedPerMinute: number | false;
  /** The requests whose dev bypass counts. */
  readonly local: LocalRequests;
  readonly clock: Clock;
  /** Counts a refused request, and throws if the address has sent too many requests. */
  readonly countRefused?: ((request: FastifyRequest, reply: FastifyReply) => Promise<void>) | undefined;
}

/**
 * Applies access control to every route that is added to `app` from here on, and to unknown routes,
 * before bodies are read. No other code applies it.
 */
export function guardAccess(app: FastifyInstance, options: AccessHookOptions): void {
  const { access, clock, countRefused, local, rejectedPerMinute } = options;
  const ruleOf = routeRules(options);
  const rejections = rejectedPerMinute === false ? undefined : new Rejections(rejectedPerMinute, clock);
  app.addHook('onRoute', (route) => {
    const { websocket, wsHandler }: { websocket?: unknown; wsHandler?: unknown } = route;
    if (websocket === true || wsHandler !== undefined)
      route.config = Object.assign({}, route.config, { [acceptsWebSockets]: true });
  });
  app.addHook('onRequest', async (request, reply) => {
    const isWebSocket = isWebSocketUpgrade(request);
    const rule = ruleOf(request, isWebSocket);
    const requirement = requirementOfTarget(request, rule.requirement);
    const isOpen = requiresNothing(requirement);
    if (requirement === 'open' && !isWebSocket && isDriveBy(request, reply)) return refuseChange(request, reply);
    const isOpenRoute = isOpen && !isWebSocket;
    if (isOpen) verified.set(request, anonymous);
    if (isOpenRoute && !namesOperator(request)) return undefined;
    const sent = readCredentials({
      headers: request.headers,
      // A `key` in the query of a public route may be the app's own.
      query: isOpenRoute ? {} : (request.query as Record<string, unknown>),
      isWebSocket,
    });
    const ticket = isOpen || sent.token !== undefined ? undefined : findTicket(request);
    // A ticket without a user was given to a developer.
    const hasDevBypass = (sent.hasDevBypass || ticket?.userId === '') && local.has(request);
    const credentials = { ...sent, hasDevBypass };
    // A token opens no public route as an operator's.
    const counting = isOpenRoute ? { ...credentials, token: undefined } : credentials;
    try {
      const authorized =
        authorizedByTicket() ??
        withRoles(await access.authorize(neededCredential(), counting, toAuthRequest(request)), rule.role);
      // With a valid token the request is a user's all the same: the reply must not tell how often
      // a key was guessed.
      if (neededCredential() === 'console-or-user' && authorized.user !== undefined && hasKey(credentials)) {
        const waitSeconds = rejections?.add(networkForAddress(request.ip));
        if (waitSeconds !== undefined) {
          hangUpAfterReply(request, reply);
          return await refuse(AccessRefusedError.console(true), request, reply, waitSeconds);
        }
      }
      // A user without an id is nobody where no user is needed, and is refused elsewhere.
      if (!isOpen || hasId(authorized)) {
        const isOperator = authorized.user === undefined;
        const tokenUser = isOperator ? (authorized.tokenUser ?? (await userOfToken(credentials))) : undefined;
        verified.set(request, { ...authorized, isOperator, ...(tokenUser !== undefined && { tokenUser }) });
      }
      return undefined;
    } catch (error) {
      if (requirement === 'calls-of-users' && error instanceof AccessRefusedError && !error.isRejection) {
        verified.set(request, { ...anonymous, isUnauthorized: true });
        return undefined;
      }
      const waitSeconds = isRejection(error) ? rejections?.add(networkForAddress(request.ip)) : undefined;
      if (isOpen && waitSeconds === undefined) return undefined;
      hangUpAfterReply(request, reply);
      const isKeyMissing = waitSeconds === undefined && error instanceof AccessRefusedError;
      // Replied to here, because the app's own error handler may not know this error.
      try {
        await countRefused?.(request, reply);
      } catch (overLimit) {
        return sendFailure(reply, toFailure(overLimit, request.id));
      }
      if (isKeyMissing && needsKeyPage(error, request, urlOf(request, options.prefix)))
        return sendKeyPage(error, request, reply);
      return refuse(error, request, reply, waitSeconds);
    }

    /** A ticket counts where a user's token does. */
    function authorizedByTicket(): Authorized | undefined {
      if (ticket === undefined || requirement === 'console' || ticket.userId === '') return undefined;
      if (ticket.userId === undefined) throw AccessRefusedError.invalidToken();
      return { user: { id: ticket.userId }, hasCredential: true };
    }

    /** Where anyone may connect or call, a valid credential still says who it is. */
    function neededCredential(): Requirement {
      if (!isOpen) return requirement;
      return isWebSocket ? 'console-or-user' : 'console';
    }

    async function userOfToken({ token }: Credentials): Promise<User | undefined> {
      if (token === undefined) return undefined;
      const only = { token, consoleKey: undefined, hasDevBypass: false };
      const authorized = await access.authorize('user', only, toAuthRequest(request)).catch(() => undefined);
      return authorized !== undefined && hasId(authorized) ? authorized.user : undefined;
    }
  });
}

/**
 * Whether a page of another site may have made the browser of a visitor send the request. It cannot
 * add a token unless CORS allows it.
 */
function isDriveBy(request: FastifyRequest, reply: FastifyReply): boolean {
  const { headers } = request;
  const hasToken = readCredentials({ headers, query: {}, isWebSocket: false }).token !== undefined;
  return !hasToken && isChangeOfRefusedSite(request, reply);
}

/** Whether the headers of a request claim that it is an operator's. */
function namesOperator({ headers }: FastifyRequest): boolean {
  return headers['x-console-access-key'] !== undefined || headers['x-service-dev'] !== undefined;
}

/** Gives the routes of `scope`, such as the files of a page, the requirement of `url`. */
export function belongTo(scope: FastifyInstance, url: string): void {
  scope.addHook('onRoute', (route) => {
    route.config = Object.assign({}, route.config, belongsTo(url));
  });
}

/** The config of a route that has the requirement of another one. */
export function belongsTo(url: string): object {
  return { [partOf]: url };
}

/** The config of a route whose path names something with an access of its own. */
export function requiresByTarget(url: string, targets: Pick<Targets, 'requirementOf'>): object {
  const requirementOf = (params: unknown, requirement: Requirement): Requirement =>
    targets.requirementOf(url, params as Readonly<Record<string, unknown>>, requirement);
  return { [byTarget]: requirementOf };
}

function requirementOfTarget({ params, routeOptions }: FastifyRequest, requirement: Requirement): Requirement {
  const requirementOf = Reflect.get(routeOptions.config, byTarget) as
    | ((params: unknown, requirement: Requirement) => Requirement)
    | undefined;
  return requirementOf === undefined ? requirement : requirementOf(params, requirement);
}

/**
 * The grants that count on a route.
 *
 * @throws HalyardError (`OPERATION_NOT_ALLOWED`) if none does, and nothing else lets the request in.
 */
function withRoles({ grants, ...authorized }: Authorized, rule: RoleRule): Authorized {
  if (grants === undefined) return authorized;
  const counting = grantsForRoute(grants, rule);
  if (counting.length > 0) return { ...authorized, grants: counting };
  if (authorized.user !== undefined) return authorized;
  const isLimited = grantsForRoute(grants, { ...rule, isScoped: true }).length > 0;
  throw new HalyardError(
    'forbidden',
    'OPERATION_NOT_ALLOWED',
    isLimited
      ? 'Console roles that are limited to agents, workflows or a tenant do not open this route'
      : `This needs the console role "${rule.level}"`,
  );
}

interface RouteRules {
  readonly requirement: Requirement;
  readonly role: RoleRule;
}

/** Determines the rules of each route once. */
function routeRules({
  access,
  prefix,
}: AccessHookOptions): (request: FastifyRequest, isWebSocket: boolean) => RouteRules {
  const known = new Map<string, RouteRules>();
  return (request, isWebSocket) => {
    const { config } = request.routeOptions;
    const method = request.method;
    // The key consists of a method and the pattern of a registered route, so the map does not grow
    // with requests.
    const key = `${isWebSocket ? 'WS' : method} ${config.url}`;
    let rules = known.get(key);
    if (rules === undefined) {
      const place = partOfRoute(config);
      const route =
        place === undefined
          ? { ...resolvedRoute(method, config.url, prefix), isWebSocket }
          : { method, url: place, isWebSocket, isBelowPrefix: true };
      rules = { requirement: access.requirementOf(route), role: access.roleRuleOf(route) };
      known.set(key, rules);
    }
    return rules;
  };
}

/** The route that a request belongs to, without the prefix of the server. */
function urlOf({ method, routeOptions: { config } }: FastifyRequest, prefix: string): string | undefined {
  return partOfRoute(config) ?? resolvedRoute(method, config.url, prefix).url;
}

function partOfRoute(config: object): string | undefined {
  const url: unknown = Reflect.get(config, partOf);
  return typeof url === 'string' ? url : undefined;
}

/**
 * A route for access control. @param url its pattern with the prefix of the server; undefined if no
 * route matched.
 */
export function resolvedRoute(method: string, url: string | undefined, prefix: string): ResolvedRoute {
  const below = belowPrefix(url, prefix.replace(/\/+$/, ''));
  return { method, url: below ?? url, isWebSocket: false, isBelowPrefix: below !== undefined };
}

function belowPrefix(url: string | undefined, base: string): string | undefined {
  if (url === undefined || base === '') return url;
  if (url === base) return '/';
  return url.startsWith(`${base}/`) ? url.slice(base.length) : undefined;
}

/**
 * Whether the request opens a WebSocket: Node has detached the connection for an upgrade, and the
 * route accepts WebSockets. A header is no proof, because any client can send it to any route.
 */
function isWebSocketUpgrade(request: FastifyRequest): boolean {
  return isUpgrade(request) && Reflect.has(request.routeOptions.config, acceptsWebSockets);
}

/**
 * Closes the connection of a refused upgrade after the reply: Node no longer reads requests from it
 * and does not close it.
 */
export function hangUpAfterReply(request: FastifyRequest, reply: FastifyReply): void {
  if (isUpgrade(request)) reply.header('connection', 'close').raw.once('finish', () => hangUp(request.raw.socket));
}

function isUpgrade({ raw }: FastifyRequest): boolean {
  return Reflect.get(raw, 'upgrade') === true;
}

function refuse(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  waitSeconds: number | undefined,
): FastifyReply {
  if (waitSeconds === undefined) {
    if (!isHalyardError(error)) request.log.error({ err: error, requestId: request.id }, 'access control failed');
    return sendFailure(reply, toFailure(error, request.id));
  }
  const message = 'Too many rejected credentials from this address';
  return sendFailure(reply, { ...invalidRequest('TOO_MANY_REJECTIONS', message, 429), retryAfter: waitSeconds });
}

function hasId({ user }: Authorized): boolean {
  return user === undefined || findUserId(user) !== undefined;
}

function isRejection(error: unknown): boolean {
  return error instanceof AccessRefusedError && error.isRejection;
}

function toAuthRequest({ headers, ip, method, url }: FastifyRequest): AuthRequest {
  return { method, path: url.split(/[?#]/, 1)[0] ?? '', headers, address: ip };
}
