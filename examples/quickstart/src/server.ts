import type { Storage } from '@halyard/contracts';
import { type BusyPolicy, createMemory, type LanguageModel } from '@halyard/core';
import { createServer, type ServerOptions, type HalyardServer } from '@halyard/server-fastify';
import { createAgents } from './agents.ts';
import { createExpense } from './expense.ts';
import { servePages } from './serve-pages.ts';

interface QuickstartOptions extends Omit<ServerOptions, 'agents' | 'links' | 'memory' | 'storage' | 'workflows'> {
  /** The policy for a message that arrives during a reply. */
  readonly onBusy?: BusyPolicy | undefined;
}

/** Creates the server of this example; it is not listening yet. The caller closes the storage. */
export async function createQuickstart(
  model: LanguageModel,
  storage: Storage,
  { onBusy, ...options }: QuickstartOptions = {},
): Promise<HalyardServer> {
  const memory = createMemory({ storage, titles: true });
  const { assistant, concierge } = createAgents(model, storage.workingMemory, onBusy);
  const server = await createServer({
    agents: [assistant, concierge],
    workflows: [createExpense(assistant)],
    memory,
    storage,
    links: [
      { title: 'Chat', url: '/chat', description: 'Talk to the agents', agents: ['assistant', 'concierge'] },
      { title: 'Expenses', url: '/expenses', description: 'Start a workflow and approve it', workflows: ['expense'] },
    ],
    enableSwaggerUI: true,
    ...options,
  });
  await servePages(server, ['chat', 'expenses']);
  return server;
}
