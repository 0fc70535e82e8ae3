import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import { keywordEmbedding, scriptedModel } from '@halyard/core/testing';
import { createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { createServer, type HalyardServer, type ServerOptions } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { openStorage } from './open-storage.ts';

/** Shown as text wherever users or models wrote it. */
export const hostile = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';

/** The refunds that were paid. */
export interface InboxApp {
  readonly server: HalyardServer;
  readonly paid: unknown[];
  readonly options: ServerOptions;
}

/**
 * A server with an agent that asks before it pays, a workflow that waits for a signature, and a
 * memory that can be searched.
 */
export async function createInboxApp(options: ServerOptions = {}): Promise<InboxApp> {
  const storage = openStorage();
  const paid: unknown[] = [];
  const refund = createTool({
    name: 'refund',
    description: 'Pays money back.',
    input: Type.Object({ order: Type.String(), euros: Type.Number(), note: Type.Optional(Type.String()) }),
    needsApproval: true,
    execute: async (input) => {
      paid.push(input);
      return { paid: input.euros };
    },
  });
  const support = new Agent({
    id: 'support',
    tools: [refund],
    model: scriptedModel(({ prompt }) => {
      const last = prompt.at(-1);
      if (last?.role === 'tool')
        return `The answer was noted. **Result:** ${JSON.stringify(last.content).slice(0, 120)}`;
      const text = JSON.stringify(last?.content ?? '');
      if (!text.includes('refund')) return `You wrote about tea. ${hostile}`;
      const input = { order: 'A-1042', euros: 38.5, note: hostile };
      return { text: ['Let me ask a colleague.'], toolCalls: [{ toolName: 'refund', toolCallId: 'call-1', input }] };
    }),
  });
  const signed = createWorkflow({
    id: 'contract',
    name: 'Contract',
    purpose: 'Waits for a signature.',
    input: Type.Object({ title: Type.String() }),
  }).andThen({
    id: 'sign',
    resumeSchema: Type.Object({ signedBy: Type.String({ minLength: 2 }), copies: Type.Integer({ default: 1 }) }),
    execute: ({ data, resumeData, suspend }) => resumeData ?? suspend('A signature is missing', { title: data.title }),
  });
  const memory = createMemory({
    storage,
    embedding: keywordEmbedding(['tea', 'refund', 'contract']),
    vectors: createInMemoryVectorStore(),
    workingMemory: {
      schema: Type.Object({ name: Type.Optional(Type.String()), likes: Type.Optional(Type.Array(Type.String())) }),
    },
  });
  const server = await createServer({
    agents: [support],
    workflows: [signed],
    storage,
    memory,
    logger: false,
    signals: false,
    ...options,
  });
  return { server, paid, options };
}

/** Sends JSON, and returns the data of the answer. */
export async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { readonly data: unknown }).data;
}

/** Conversations of two users, a request of an agent and one of a workflow. */
export async function fillInbox(origin: string, headersOf: (user: string) => Record<string, string> = () => ({})) {
  for (const user of ['ada', 'eve']) {
    const conversationId = `${user}-tea`;
    const headers = headersOf(user);
    const title = `Tea of ${user} ${hostile}`;
    await post(
      `${origin}/api/memory/conversations`,
      { userId: user, conversationId, title, resourceId: 'support' },
      headers,
    );
    await post(
      `${origin}/agents/support/text`,
      { input: `I like tea ${hostile}`, options: { userId: user, conversationId } },
      headers,
    );
    await post(
      `${origin}/api/memory/conversations/${conversationId}/working-memory`,
      { userId: user, content: { name: hostile, likes: ['tea'] } },
      headers,
    );
  }
  const headers = headersOf('ada');
  const options = { userId: 'ada', conversationId: 'ada-refund' };
  await post(`${origin}/agents/support/text`, { input: 'I want a refund', options }, headers);
  await post(
    `${origin}/workflows/contract/execute`,
    { input: { title: hostile }, options: { userId: 'ada' } },
    headers,
  );
}
