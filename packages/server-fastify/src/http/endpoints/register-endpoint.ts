import { isDevelopment } from '@halyard/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { asOperator, callerKey, subjectForCaller } from '../../access/identity.ts';
import { namesTarget } from '../../access/targets.ts';
import type { Admission } from '../../admission/admission.ts';
import { countsMessages } from '../../admission/limit-rates.ts';
import type { Exchange } from '../../api/define/define-exchange.ts';
import type { Page, PageReply } from '../../api/define/define-page.ts';
import type { Endpoint, Route } from '../../api/define/define-route.ts';
import type { Stream } from '../../api/define/define-stream.ts';
import type { AnyEndpoint } from '../../api/define/endpoint.ts';
import { actingOn, refuseHidden } from '../../api/routes/executions/hidden-executions.ts';
import type { Services } from '../../api/services.ts';
import { comment } from '../../api/streaming/frame.ts';
import type { OpenStreams } from '../../api/streaming/open-streams.ts';
import { eventStreamHeaders, sendEvents } from '../../api/streaming/send-events.ts';
import { prefersText, sendText, textStreamHeaders } from '../../api/streaming/send-text.ts';
import type { RunningCalls } from '../../runtime/lifecycle/running-calls.ts';
import { retryAfterSeconds, thrownByHandler, toFailure } from '../errors/to-failure.ts';
import { belongsTo, requiresByTarget } from '../guards/access-hook.ts';
import { checkMcpRequest } from '../guards/check-mcp-request.ts';
import { refuseWork } from '../guards/guard-requests.ts';
import type { LocalRequests } from '../guards/local-requests.ts';
import { nameMetadata } from '../guards/name-metadata.ts';
import { takesTickets } from '../guards/takes-tickets.ts';
import { bodyLimitOf, limitsBody } from './body-limit.ts';
import { EndpointCall, type UserOf } from './endpoint-call.ts';
import { fixedReply } from './fixed-reply.ts';
import { limitLists } from './limit-lists.ts';
import { recordAudit } from './record-audit.ts';
import { requestWarnings } from './request-warnings.ts';
import { jsonType, logFailure } from './send-failure.ts';
import { sendResponse } from './send-response.ts';

/** The dependencies of all endpoints of a server. */
export interface EndpointDependencies {
  readonly services: Services;
  readonly work: RunningCalls;
  readonly admission: Admission;
  readonly streams: OpenStreams;
  readonly local: LocalRequests;
  readonly userOf: UserOf;
}

/** Resolves to the text of the reply; undefined when the reply was sent already, or has no body. */
type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<string | Buffer | undefined>;

export function registerEndpoint(
  app: FastifyInstance,
  endpoint: AnyEndpoint,
  dependencies: EndpointDependencies,
): void {
  const bodyLimit = bodyLimitOf(endpoint.bodySize, dependencies.services.limits);
  const options: RouteOptions = {
    method: endpoint.method,
    url: endpoint.url,
    schema: requestSchema(endpoint),
    bodyLimit,
    handler: createHandler(recordAudit(checkTarget(limitLists(endpoint, dependencies.admission.lists))), dependencies),
  };
  if (endpoint.bodySize !== undefined) options.config = { ...options.config, ...limitsBody(endpoint.bodySize) };
  if (namesTarget(endpoint.url))
    options.config = { ...options.config, ...requiresByTarget(endpoint.url, dependencies.services.targets) };
  if (endpoint.kind === 'stream' && endpoint.takesTicket === true)
    options.config = { ...options.config, ...takesTickets(endpoint.url, dependencies.services.streamTickets) };
  if (endpoint.method !== 'GET') options.preParsing = dependencies.admission.bytes.countBody(bodyLimit);
  if (endpoint.tier === 'public') options.config = { ...options.config, rateLimit: false };
  if (endpoint.method === 'GET') options.exposeHeadRoute = endpoint.kind === 'route' || endpoint.kind === 'page';
  if (endpoint.kind !== 'page' || endpoint.method !== 'GET')
    options.onRequest = [refuseWork(dependencies.work, dependencies.admission.overload)];
  if (endpoint.kind === 'exchange') {
    options.config = { ...options.config, ...countsMessages() };
    options.onRequest = [checkMcpRequest(dependencies.local), ...[options.onRequest ?? []].flat()];
    options.onSend = nameMetadata(dependencies.services.site);
  }
  app.route(options);
  for (const url of endpoint.aliases ?? []) app.route(toAlias(options, url, endpoint.url));
}

/** Registering a route may change its options. */
function toAlias(options: RouteOptions, url: string, of: string): RouteOptions {
  return { ...options, url, config: { ...options.config, ...belongsTo(of) } };
}

/** Checks the agent, tool or workflow of the path before the handler uses it. */
function checkTarget<Some extends AnyEndpoint>(endpoint: Some): Some {
  if (!namesTarget(endpoint.url) && endpoint.servesRoles !== true) return endpoint;
  const handle = async (call: EndpointCall, services: Services): Promise<unknown> => {
    const params = call.params as Readonly<Record<string, unknown>>;
    if (endpoint.servesRoles === true) await actByRole(call, params, services);
    const { caller } = call;
    services.targets.check(endpoint.url, params, caller);
    if (typeof params['executionId'] === 'string') await refuseHidden(params['executionId'], caller, services);
    return (endpoint.handler as (call: EndpointCall, services: Services) => unknown)(call, services);
  };
  return { ...endpoint, handler: handle };
}

/** A user acts as an operator on the data of others that the console roles of the token are for. */
async function actByRole(call: EndpointCall, params: Readonly<Record<string, unknown>>, services: Services) {
  const { caller } = call;
  if (caller.user === undefined || caller.grants === undefined) return;
  const { executionId, userId } = params;
  if (typeof executionId === 'string') call.actAs(await actingOn(executionId, caller, services));
  else if (userId !== subjectForCaller(caller)) call.actAs(asOperator(caller));
}

function requestSchema({ body, params, query, requestHeaders }: AnyEndpoint): NonNullable<RouteOptions['schema']> {
  return {
    ...(params !== undefined && { params }),
    ...(query !== undefined && { querystring: query }),
    ...(body !== undefined && { body }),
    ...(requestHeaders !== undefined && { headers: requestHeaders }),
  };
}

function createHandler(endpoint: AnyEndpoint, dependencies: EndpointDependencies): Handler {
  switch (endpoint.kind) {
    case 'route':
      return routeHandler(endpoint, dependencies);
    case 'stream':
      return streamHandler(endpoint, dependencies);
    case 'page':
      return pageHandler(endpoint, dependencies);
    case 'exchange':
      return exchangeHandler(endpoint, dependencies);
    default:
      return endpoint satisfies never;
  }
}

function routeHandler(route: Route, { admission, services, userOf, work }: EndpointDependencies): Handler {
  const { handler, status } = route;
  const toEnvelope = route.extra === undefined ? envelope : extendedEnvelope;
  const warn = warnsDeveloper(route);
  return async (request, reply) => {
    const call = new EndpointCall(request, reply, route, userOf);
    const release = admission.requests.reserve(callerKey(call.caller));
    call.warnings.push(...(warn?.(request) ?? []));
    work.add(call);
    try {
      const data = await handler(call, services);
      const text = toEnvelope(data, call.warnings.length === 0 ? undefined : call.warnings);
      admission.bytes.countReply(request, reply, text.length);
      // A cache must not keep the data of a user: it knows neither our key nor that the reply
      // depends on it.
      reply.code(status).header('content-type', jsonType).header('cache-control', 'no-store');
      return text;
    } catch (error) {
      throw thrownByHandler(error);
    } finally {
      work.delete(call);
      release();
    }
  };
}

/**
 * JSON.stringify is faster than a serializer compiled from the schema, and drops no field that is
 * missing there.
 */
function envelope(data: unknown, warnings: readonly string[] | undefined): string {
  return JSON.stringify({ success: true, data: data ?? null, warnings });
}

/** The envelope of a route with further fields (`extra`). */
function extendedEnvelope(returned: unknown, warnings: readonly string[] | undefined): string {
  const { extra, data } = returned as { readonly extra: object; readonly data: unknown };
  return JSON.stringify({ success: true, data, ...extra, warnings });
}

/**
 * In development: logs and returns the unknown fields of the request's body. The returned function
 * returns undefined if there are none.
 */
function warnsDeveloper({ body }: Endpoint): ((request: FastifyRequest) => readonly string[] | undefined) | undefined {
  if (body === undefined || !isDevelopment()) return undefined;
  return (request) => {
    const warnings = requestWarnings(body, request.body);
    if (warnings.length === 0) return undefined;
    request.log.warn({ warnings }, 'the request has unknown options, which are ignored');
    return warnings;
  };
}

function streamHandler(stream: Stream, { admission, services, streams, userOf, work }: EndpointDependencies): Handler {
  const fixedHeaders = { ...eventStreamHeaders, ...stream.headers };
  const warn = warnsDeveloper(stream);
  return async (request, reply) => {
    const call = new EndpointCall(request, reply, stream, userOf);
    const release = admission.streams.reserve(callerKey(call.caller));
    call.warnings.push(...(warn?.(request) ?? []));
    work.add(call);
    try {
      const events = await stream.handler(call, services);
      if (events === undefined) {
        reply.code(204);
        return undefined;
      }
      // From here on Fastify sends nothing; earlier hooks may have set headers (CORS, the request
      // id).
      const writeHead = (headers: Readonly<Record<string, string>>): void => {
        reply.hijack();
        reply.raw.writeHead(200, Object.assign(outgoing(reply), headers));
      };
      if (stream.toText !== undefined && prefersText(request.headers.accept)) {
        await sendText(stream.toText(events), reply.raw, () => writeHead(textStreamHeaders));
        return undefined;
      }
      writeHead(fixedHeaders);
      for (const warning of call.warnings) reply.raw.write(comment(warning));
      streams.keepAlive(reply.raw);
      const describeFailure = (error: unknown): string => describe(error, request, reply);
      await sendEvents(events, reply.raw, { stream, signal: call.signal, describeFailure });
      return undefined;
    } catch (error) {
      throw thrownByHandler(error);
    } finally {
      work.delete(call);
      release();
    }
  };
}

function outgoing(reply: FastifyReply): Record<string, string | number | string[]> {
  const headers: Record<string, string | number | string[]> = {};
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) headers[name] = value;
  return headers;
}

function describe(error: unknown, request: FastifyRequest, reply: FastifyReply): string {
  const failure = toFailure(error, request.id);
  logFailure(error, failure, request, reply);
  return failure.message;
}

function pageHandler(page: Page, { admission, services, userOf }: EndpointDependencies): Handler {
  const { contentType, handler, headers } = page;
  const toPageReply = async (call: EndpointCall): Promise<PageReply> => {
    try {
      return await handler(call, services);
    } catch (error) {
      throw thrownByHandler(error);
    }
  };
  return async (request, reply) => {
    const { body, code, status = 200 } = await toPageReply(new EndpointCall(request, reply, page, userOf));
    if (code !== undefined) reply.header('x-error-code', code);
    if (status === 503) reply.header('retry-after', String(retryAfterSeconds));
    if (typeof body === 'string') {
      admission.bytes.countReply(request, reply, body.length);
      reply.code(status).headers({ ...headers, 'content-type': contentType });
      return body;
    }
    const fixed = await fixedReply(body, request.headers);
    admission.bytes.countReply(request, reply, fixed.payload.length);
    const vary = [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', ');
    reply.code(fixed.status).headers({ ...headers, 'content-type': contentType, vary, ...fixed.headers });
    return fixed.payload;
  };
}

function exchangeHandler(exchange: Exchange, { admission, services, userOf, work }: EndpointDependencies): Handler {
  return async (request, reply) => {
    const call = new EndpointCall(request, reply, exchange, userOf);
    const release = admission.requests.reserve(callerKey(call.caller));
    work.add(call);
    try {
      await sendResponse(reply, await exchange.handler(call, services));
      return undefined;
    } catch (error) {
      throw thrownByHandler(error);
    } finally {
      work.delete(call);
      release();
    }
  };
}
