import { sendJson } from '../harness/http-client.ts';
import type { Target } from '../harness/target.ts';

/** Names and ids that exist in a server, by the field that contains them. */
export type KnownValues = Readonly<Record<string, readonly string[]>>;

/**
 * Creates a conversation and an execution of Ada, and reads the names of everything that is
 * registered.
 */
export async function knownValues(target: Target): Promise<KnownValues> {
  const headers = target.headersOf('ada', true);
  const read = (path: string): Promise<unknown> => sendJson(target, 'GET', path, headers);
  const agents = namesIn(await read('/agents'), 'id');
  const workflows = namesIn(await read('/workflows'), 'id');
  const tools = namesIn(await read('/tools'), 'name');
  const servers = namesIn(await read('/mcp/servers'), 'serverId', 'id');
  if (target.isOwn) await fill(target, headers);
  const { traces = [] } = ((await read('/observability/traces?limit=5')) ?? {}) as {
    readonly traces?: readonly { readonly traceId: string; readonly rootSpan: { readonly spanId: string } }[];
  };
  return {
    agentId: agents,
    workflowId: workflows,
    name: tools,
    toolName: tools,
    serverId: servers,
    userId: ['ada', 'bob'],
    conversationId: ['known'],
    newConversationId: ['known'],
    executionId: ['waiting', 'done'],
    messageId: ['m1'],
    messageIds: ['m1'],
    stepId: ['approve', 'price', 'ship', 'add'],
    traceId: traces.map(({ traceId }) => traceId),
    spanId: traces.map(({ rootSpan }) => rootSpan.spanId),
    searchQuery: ['roses', 'tea'],
    packageName: ['@halyard/core'],
    role: ['user', 'assistant', 'system', 'tool'],
  };
}

async function fill(target: Target, headers: Readonly<Record<string, string>>): Promise<void> {
  const post = (path: string, body: unknown): Promise<unknown> => sendJson(target, 'POST', path, headers, body);
  const named = { userId: 'ada', conversationId: 'known' };
  await post('/api/memory/conversations', { ...named, title: 'Known' });
  await post('/api/memory/save-messages', { ...named, messages: [{ id: 'm1', role: 'user', content: 'roses' }] });
  await post('/workflows/approval/execute', { input: { total: 1 }, options: { executionId: 'waiting' } });
  await post('/workflows/sum/execute', { input: { a: 1, b: 2 }, options: { executionId: 'done' } });
  await post('/agents/plain/text', { input: 'Hello' });
}

function namesIn(list: unknown, ...fields: readonly string[]): readonly string[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly Readonly<Record<string, unknown>>[]).flatMap((item) => {
    const name = fields.map((field) => item[field]).find((value) => typeof value === 'string');
    return typeof name === 'string' ? [name] : [];
  });
}
