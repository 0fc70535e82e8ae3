import type { OwnedRequest } from '../../../../packages/server-fastify/src/testing/owned-request.ts';

/** Every field that may name a user in any request. `[]`: in every entry of a list. */
export const places = [
  'headers.x-user-id',
  'headers.x-user',
  'headers.x-forwarded-user',
  'headers.cookie',
  'query.userId',
  'query.user',
  'query.sub',
  'body.userId',
  'body.user',
  'body.sub',
  'body.context.userId',
  'body.metadata.userId',
  'body.memory.userId',
  'body.options.userId',
  'body.options.user',
  'body.options.resumedBy',
  'body.options.memory.userId',
  'body.options.context.userId',
  'body.options.metadata.userId',
  'body.options.workflowState.userId',
  'body.messages[].userId',
  'body.messages[].metadata.userId',
  'body.messages[].message.userId',
  'body.input[].userId',
  'body.input[].metadata.userId',
] as const;
export type Place = (typeof places)[number];

/** The request with a user in that field; undefined if it has no such field. */
export function claiming(request: OwnedRequest, place: Place, user: string): OwnedRequest | undefined {
  const [part = '', ...path] = place.split('.');
  if (part === 'body' && request.body === undefined) return undefined;
  const value = path[0] === 'user' && part === 'body' ? { id: user } : path[0] === 'cookie' ? `userId=${user}` : user;
  const claimed: Record<string, unknown> = structuredClone({ headers: {}, query: {}, ...request });
  return put(claimed, [part, ...path], value) ? claimed : undefined;
}

/** @returns whether there is such a field. */
function put(target: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): boolean {
  if (name.endsWith('[]')) {
    const entries = target[name.slice(0, -2)];
    const [first, ...others] = Array.isArray(entries) ? (entries as Record<string, unknown>[]) : [];
    // The field is inside `message`, and this entry has no `message`.
    if (first === undefined || (rest[0] === 'message' && first['message'] === undefined)) return false;
    for (const entry of [first, ...others]) put(entry, rest, value);
    return true;
  }
  if (rest.length === 0) target[name] = value;
  else put((target[name] ??= {}) as Record<string, unknown>, rest, value);
  return true;
}
