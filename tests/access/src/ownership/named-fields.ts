import type { AnyEndpoint } from '../../../../packages/server-fastify/src/api/define/endpoint.ts';

/** Fields that name a user, or data of a user. */
const personal =
  /^(userId|user|conversationId|newConversationId|executionId|parentExecutionId|approvalId|chatId|traceId|spanId)$/;

/**
 * The fields of an endpoint's schemas that name a user or data of a user, such as
 * `body.options.memory.userId`.
 */
export function namedFields({ body, params, query, requestHeaders }: AnyEndpoint): readonly string[] {
  const parts = { params, query, body, headers: requestHeaders };
  return [...new Set(Object.entries(parts).flatMap(([name, schema]) => fieldsIn(schema, name)))];
}

function fieldsIn(schema: unknown, path: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one) => fieldsIn(one, path));
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, items, ...rest } = schema as Record<string, object>;
  return [
    ...Object.entries(properties).flatMap(([name, property]) => [
      ...(personal.test(name) ? [`${path}.${name}`] : []),
      ...fieldsIn(property, `${path}.${name}`),
    ]),
    ...fieldsIn(items, `${path}[]`),
    ...['allOf', 'anyOf', 'oneOf', 'then', 'else'].flatMap((key) => fieldsIn(rest[key], path)),
  ];
}
