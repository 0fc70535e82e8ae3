import { STATUS_CODES } from 'node:http';
import type { TObject, TSchema } from '@sinclair/typebox';
import { type Requirement, requiresNothing } from '../../access/policy.ts';
import type { ReplyHeader } from '../define/define-route.ts';
import type { Stream } from '../define/define-stream.ts';
import type { EndpointDescription } from '../define/endpoint.ts';
import { pagesForPeople } from '../routes/documents/pages-for-people.ts';
import type { Components } from './components.ts';

export const failureSchema = {
  type: 'object',
  description: 'The body of every failure',
  required: ['success', 'error'],
  properties: {
    success: { type: 'boolean', const: false },
    error: { type: 'string', description: 'One readable sentence' },
  },
};

const warningsSchema = {
  type: 'array',
  items: { type: 'string' },
  description:
    'Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones.',
};

const anyRequest =
  'Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500)';

/** How callers of an operation are checked and limited. */
export interface OperationAccess {
  /** Undefined without access control. */
  readonly requirement: Requirement | undefined;
  /** Whether a caller may get 429. */
  readonly isLimited: boolean;
}

/** The operation object of an endpoint. */
export function describeOperation(
  endpoint: EndpointDescription,
  components: Components,
  access: OperationAccess,
): object {
  const { body, description, operationId, params, query, requestHeaders, summary, tag } = endpoint;
  const parameters = [
    ...toParameters(params, 'path', components),
    ...toParameters(query, 'query', components),
    ...toParameters(requestHeaders, 'header', components),
  ];
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: !allowsNull(body),
        content: { [bodyType(endpoint)]: { schema: components.describe(body) } },
      },
    }),
    ...(takesBytes(endpoint) && { requestBody: anyBody }),
    ...toSecurity(access.requirement, endpoint.kind === 'stream' && endpoint.takesTicket === true),
    responses: { ...describeSuccess(endpoint, components), ...describeFailures(endpoint, access) },
  };
}

/** The credentials of which a request needs one; nothing without access control. */
export function toSecurity(
  requirement: Requirement | undefined,
  takesTicket = false,
): { readonly security?: readonly object[] } {
  const user = [{ userToken: [] }, ...(takesTicket ? [{ streamTicket: [] }] : [])];
  switch (requirement) {
    case undefined:
      return {};
    case 'public':
    case 'open':
      return { security: [] };
    case 'console':
      return { security: [{ consoleKey: [] }] };
    case 'user':
      return { security: user };
    case 'calls-of-users':
      return { security: [{}, { userToken: [] }] };
    case 'user-or-operator':
    case 'console-or-user':
      return { security: [{ consoleKey: [] }, ...user] };
    default:
      return requirement satisfies never;
  }
}

function toParameters(
  schema: TSchema | undefined,
  place: 'path' | 'query' | 'header',
  components: Components,
): object[] {
  if (schema === undefined) return [];
  const { properties, required = [] } = schema as TObject;
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (required.includes(name) && property.default === undefined),
    ...(property.description !== undefined && { description: property.description }),
    schema: components.describe(property),
  }));
}

function takesBytes(endpoint: EndpointDescription): boolean {
  return endpoint.kind === 'route' && endpoint.accepts === 'bytes';
}

const anyBody = { required: true, content: { '*/*': { schema: { type: 'string', format: 'binary' } } } };

function bodyType(endpoint: EndpointDescription): string {
  return endpoint.kind === 'page' && endpoint.accepts === 'form'
    ? 'application/x-www-form-urlencoded'
    : 'application/json';
}

/** A missing body is validated as null. */
function allowsNull({ type }: TSchema): boolean {
  return Array.isArray(type) && type.includes('null');
}

function describeSuccess(endpoint: EndpointDescription, components: Components): Record<number, object> {
  const headers = { 'x-request-id': requestIdHeader, ...toReplyHeaders(endpoint, true) };
  switch (endpoint.kind) {
    case 'route': {
      const schema = {
        type: 'object',
        required: ['success', 'data', ...(endpoint.extra?.required ?? [])],
        properties: {
          success: { type: 'boolean', const: true },
          data: components.describe(endpoint.data),
          ...toProperties(endpoint.extra, components),
          ...(endpoint.body !== undefined && { warnings: warningsSchema }),
        },
      };
      const description = endpoint.status === 201 ? 'Created' : 'Success';
      return { [endpoint.status]: { description, headers, content: { 'application/json': { schema } } } };
    }
    case 'stream': {
      const description =
        'A stream of events. The schema describes one event: the JSON of one `data:` line. It accepts every text, and so the stream as a whole.';
      return {
        200: {
          description,
          headers: { ...headers, ...fixedHeaders(endpoint.headers) },
          content: {
            'text/event-stream': { schema: components.describeEvent(endpoint.event) },
            ...(endpoint.toText !== undefined && { 'text/plain': { schema: { type: 'string' } } }),
          },
        },
        ...describeNothing(endpoint, headers),
      };
    }
    case 'page': {
      const content = { [mediaType(endpoint.contentType)]: { schema: components.describe(endpoint.content) } };
      if (endpoint.isFixed !== true)
        return Object.fromEntries(
          Object.entries({ 200: 'Success', ...endpoint.alternatives }).map(([status, description]) => [
            status,
            { description, headers: Number(status) < 400 ? headers : withCode(headers), content },
          ]),
        );
      const fixed = { ...headers, etag: etagHeader };
      return {
        200: { description: 'Success', headers: fixed, content },
        304: { description: 'The client has it', headers: fixed },
      };
    }
    default:
      return endpoint satisfies never;
  }
}

function withCode(headers: object): object {
  return { ...headers, 'x-error-code': errorCodeHeader };
}

function describeNothing({ nothing }: Pick<Stream, 'nothing'>, headers: object): Record<number, object> {
  return nothing === undefined ? {} : { 204: { description: nothing, headers } };
}

function toProperties(schema: TObject | undefined, components: Components): Record<string, object> {
  const properties = Object.entries(schema?.properties ?? {});
  return Object.fromEntries(properties.map(([name, property]) => [name, components.describe(property)]));
}

function toReplyHeaders({ replyHeaders: names = [] }: EndpointDescription, required: boolean): Record<string, object> {
  return Object.fromEntries(
    names.map((name) => [name, { description: replyHeaderDescriptions[name], required, schema: { type: 'string' } }]),
  );
}

const replyHeaderDescriptions: Readonly<Record<ReplyHeader, string>> = {
  'x-execution-id': 'Id of the execution, once it has been created',
};

function fixedHeaders(headers: Readonly<Record<string, string>>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, { schema: { type: 'string', const: value } }]),
  );
}

/** Whether a value of the schema may be invalid: not where all fields accept any value. */
function refusesSome({ properties }: TObject | TSchema): boolean {
  if (properties === undefined) return true;
  return Object.values(properties as Readonly<Record<string, object>>).some((property) =>
    Object.keys(property).some((keyword) => keyword !== 'description'),
  );
}

function describeFailures(
  endpoint: EndpointDescription,
  { isLimited, requirement }: OperationAccess,
): Record<string, object> {
  const { body, failures = [], kind, params, query, url } = endpoint;
  const statuses = new Set(failures);
  if (body !== undefined || takesBytes(endpoint)) for (const status of [413, 415]) statuses.add(status);
  if ([body, params, query].some((schema) => schema !== undefined && refusesSome(schema))) statuses.add(400);
  if (kind !== 'page' || endpoint.method !== 'GET') statuses.add(503);
  if (kind === 'stream' || isLimited) statuses.add(429);
  if (requirement !== undefined && !requiresNothing(requirement)) statuses.add(401);
  const answers: Record<string, object> = { default: failure(anyRequest) };
  for (const status of statuses) {
    const headers = status >= 500 ? toReplyHeaders(endpoint, false) : {};
    answers[status] = failure(STATUS_CODES[status] ?? 'Failure', status === 503 || status === 429, headers);
  }
  if (statuses.has(401) && kind === 'page' && pagesForPeople.has(url)) answers[401] = withPage(failure('Unauthorized'));
  return answers;
}

interface Failing {
  readonly description: string;
  readonly headers: object;
  readonly content: object;
}

function failure(description: string, isTemporary = false, headers: Record<string, object> = {}): Failing {
  return {
    description,
    headers: {
      ...headers,
      'x-request-id': requestIdHeader,
      'x-error-code': errorCodeHeader,
      ...(isTemporary && { 'retry-after': retryAfterHeader }),
    },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
  };
}

/** Browsers get a page that asks for the console key. */
function withPage(answer: Failing): object {
  return { ...answer, content: { ...answer.content, 'text/html': { schema: { type: 'string' } } } };
}

const etagHeader = { description: 'For `if-none-match`', schema: { type: 'string' } };
const requestIdHeader = { description: 'Id of the request, which the log contains too', schema: { type: 'string' } };
const retryAfterHeader = { description: 'Seconds to wait before a retry', schema: { type: 'integer' } };
const errorCodeHeader = { description: 'Stable code of the failure', schema: { type: 'string' } };

function mediaType(contentType: string): string {
  return contentType.split(';', 1)[0] ?? contentType;
}
