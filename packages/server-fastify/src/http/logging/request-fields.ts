import { parseTraceParent } from '@halyard/core/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { subjectForCaller } from '../../access/identity.ts';
import type { UserOf } from '../endpoints/endpoint-call.ts';

export interface RequestUsers {
  readonly userOf: UserOf;
  /** Whether the server has `auth`. */
  readonly hasAccessControl: boolean;
}

/**
 * The fields of a request's log line that name its trace, agent, workflow, execution, conversation
 * and user.
 *
 * The user of `userId` can read and delete the line. With access control, this is only a verified
 * user: whom others name is in `namedUserId`.
 */
export function requestFields(
  request: FastifyRequest,
  reply: FastifyReply,
  { userOf, hasAccessControl }: RequestUsers,
): Record<string, unknown> {
  const sent = sources(request);
  const user = verifiedId(request, userOf);
  const named = readField(sent, 'userId');
  const parent = readTraceParent(request);
  const fields: Record<string, unknown> = {
    requestId: request.log === request.server.log ? request.id : undefined,
    traceId: parent?.traceId,
    spanId: parent?.spanId,
    ...subjectOfRoute(request),
    executionId: readField([request.params], 'executionId') ?? reply.getHeader('x-execution-id'),
    conversationId: readField(sent, 'conversationId'),
    userId: hasAccessControl ? user : (user ?? named),
    namedUserId: hasAccessControl && named !== user ? named : undefined,
    client: user === undefined ? readingClient(request, reply) : undefined,
  };
  return fields;
}

/** The places where a request may name a conversation and a user. The first that does counts. */
function sources({ body, params, query }: FastifyRequest): readonly unknown[] {
  const options = readValue(body, 'options');
  return [params, readValue(options, 'memory'), options, body, query];
}

function subjectOfRoute({ params, routeOptions }: FastifyRequest): { agentId?: string; workflowId?: string } {
  const id = readField([params], 'id');
  const pattern = routeOptions.url ?? '';
  if (id === undefined) return {};
  if (pattern.includes('/agents/:id')) return { agentId: id };
  return pattern.includes('/workflows/:id') ? { workflowId: id } : {};
}

function readTraceParent({ headers: { traceparent } }: FastifyRequest): ReturnType<typeof parseTraceParent> {
  return typeof traceparent === 'string' ? parseTraceParent(traceparent) : undefined;
}

/**
 * The client that has read successfully, by its header `x-client-name`. Undefined for other
 * requests and for those of users: nobody can keep them out of a list.
 */
function readingClient(
  { headers, method, routeOptions }: FastifyRequest,
  { statusCode }: FastifyReply,
): string | undefined {
  const name = headers['x-client-name'];
  const isName = typeof name === 'string' && /^[a-z][a-z0-9-]{0,31}$/.test(name);
  const isRead = method === 'GET' || (routeOptions.url ?? '').endsWith(previewPath);
  return isName && isRead && statusCode < 400 ? name : undefined;
}

/** Its filter is in the body, and it changes nothing. */
const previewPath = '/workflows/executions/bulk/preview';

/** Undefined if the verified user has no id. Such a request got 401. */
function verifiedId(request: FastifyRequest, userOf: UserOf): string | undefined {
  try {
    return subjectForCaller({ user: userOf(request), address: request.ip });
  } catch {
    return undefined;
  }
}

function readField(values: readonly unknown[], name: string): string | undefined {
  return values
    .map((value) => readValue(value, name))
    .find((value) => typeof value === 'string' && value.length <= 128) as string | undefined;
}

function readValue(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
