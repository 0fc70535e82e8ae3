import { ask } from './memory.ts';
import type { Served } from './serve.ts';

/** A request and its expected status. */
export interface ListedRequest {
  readonly path: string;
  readonly status: number;
  readonly init?: RequestInit;
}

interface MemoryCall {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly status?: number;
}

const stored = '/conversations/stored';
const message = { role: 'user', content: 'hi' };

/** A successful request for each route. */
const calls: readonly MemoryCall[] = [
  { method: 'GET', path: '/conversations' },
  { method: 'GET', path: stored },
  { method: 'POST', path: '/conversations', body: { userId: 'ada' }, status: 201 },
  { method: 'PATCH', path: stored, body: { title: 'new' } },
  { method: 'POST', path: `${stored}/clone`, body: {}, status: 201 },
  { method: 'GET', path: `${stored}/messages` },
  {
    method: 'POST',
    path: '/save-messages',
    body: { userId: 'ada', conversationId: 'stored', messages: [{ id: 'm1', ...message }, message] },
  },
  { method: 'POST', path: '/messages/delete', body: { userId: 'ada', conversationId: 'stored', messageIds: ['m1'] } },
  { method: 'POST', path: `${stored}/working-memory`, body: { content: 'Likes tea.' } },
  { method: 'GET', path: `${stored}/working-memory` },
  { method: 'GET', path: '/search?searchQuery=hi' },
  { method: 'DELETE', path: '/conversations/gone' },
];

function asked(call: MemoryCall, status: number, query = '', as?: string): ListedRequest {
  return requested('/api/memory', call, status, query, as);
}

function requested(
  prefix: string,
  { body, method, path }: MemoryCall,
  status: number,
  query = '',
  as?: string,
): ListedRequest {
  const and = path.includes('?') ? '&' : '?';
  return {
    path: `${prefix}${path}${query && `${and}${query}`}`,
    status,
    init: {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(as !== undefined && { 'x-user': as }),
      },
    },
  };
}

/** The routes below `/observability` that read the same. */
const views = calls
  .filter(({ method }) => method === 'GET')
  .map((call) => ({ ...call, path: call.path.replace(/^\/search/, '/memory/search') }));
const viewed = (call: MemoryCall, status: number, query = '', as?: string): ListedRequest =>
  requested('/observability', call, status, query, as);

/** A user's data as a stream, for the user and for operators. */
const exports = ['/api/memory/users', '/observability/users'];
/** Requests that open a stream. */
export const memoryStreams: readonly string[] = exports.map((path) => `${path}/grace/export`);

const taken = { userId: 'ada', conversationId: 'stored', newConversationId: 'stored' };
const large = 'x'.repeat(8_000);
const tooLong = 'x'.repeat(8_192);

/** Requests for every documented reply of the memory, except those during shutdown. */
export const memoryRequests: readonly ListedRequest[] = [
  ...calls.flatMap((call) => [
    asked(call, call.status ?? 200),
    asked(call, 400, 'userId=a%0Ab'),
    asked(call, 403, 'userId=ada', 'eve'),
    asked(call, 404, 'agentId=unknown'),
    asked(call, 414, tooLong),
    ...(call.body === undefined
      ? []
      : [
          asked({ ...call, body: { ...call.body, large } }, 413),
          { ...asked(call, 415), init: { method: call.method, body: '{}', headers: { 'content-type': 'text/plain' } } },
        ]),
  ]),
  ...['/conversations', `${stored}/clone`].map((path) => asked({ method: 'POST', path, body: taken }, 409)),
  asked({ method: 'GET', path: '/search?searchQuery=hi&agentId=forgetful' }, 500),
  ...views.flatMap((call) => [
    viewed(call, 200),
    viewed(call, 400, 'userId=a%0Ab'),
    viewed(call, 403, 'userId=ada', 'eve'),
    viewed(call, 404, 'agentId=unknown'),
    viewed(call, 414, tooLong),
  ]),
  viewed({ method: 'GET', path: '/memory/search?searchQuery=hi&agentId=forgetful' }, 500),
  ...exports.flatMap((path) => [
    { path: `${path}/grace/export`, status: 200 },
    { path: `${path}/a%0Ab/export`, status: 400 },
    { path: `${path}/ada/export`, status: 403, init: { headers: { 'x-user': 'eve' } } },
    { path: `${path}/ada/export?${tooLong}`, status: 414 },
  ]),
  asked(
    { method: 'POST', path: `${stored}/working-memory`, body: { content: 'Likes tea.', expected: 'Likes coffee.' } },
    409,
  ),
  asked({ method: 'DELETE', path: '/users/grace' }, 200),
  asked({ method: 'DELETE', path: '/users/a%0Ab' }, 400),
  asked({ method: 'DELETE', path: '/users/ada' }, 403, '', 'eve'),
  asked({ method: 'DELETE', path: '/users/ada' }, 414, tooLong),
];

export const memoryRequestsOfAClosingServer: readonly ListedRequest[] = [
  ...calls.map((call) => asked(call, 503)),
  ...views.map((call) => viewed(call, 503)),
  ...memoryStreams.map((path) => ({ path, status: 503 })),
  asked({ method: 'DELETE', path: '/users/grace' }, 503),
];

/** Creates the data of the requests. */
export async function makeConversations({ origin }: Pick<Served, 'origin'>): Promise<void> {
  for (const conversationId of ['stored', 'gone'])
    await ask(origin, '/conversations', { body: { userId: 'ada', conversationId } });
  const messages = [{ id: 'reply', role: 'assistant', content: 'hi' }];
  await ask(origin, '/save-messages', { body: { userId: 'ada', conversationId: 'stored', messages } });
}
