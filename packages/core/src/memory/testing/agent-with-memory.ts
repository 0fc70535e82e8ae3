import type { Message, Storage, StoredMessage } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import type { AgentOptions, RunOptions } from '../../agent/agent-options.ts';
import { Agent } from '../../agent/agent.ts';
import { fixedClock, scriptedModel, type ScriptedReply, silentLogger } from '../../testing/index.ts';
import type { MemoryOptions } from '../memory-options.ts';
import { createMemory, type Memory } from '../memory.ts';

/** An agent with a memory, one conversation of Ada, and its stored messages. */
export interface AgentWithMemory {
  readonly agent: Agent;
  readonly memory: Memory;
  readonly storage: Storage;
  readonly model: ReturnType<typeof scriptedModel>;
  /** Options of a run in the conversation. */
  readonly options: RunOptions;
  stored(): Promise<readonly StoredMessage[]>;
  /** Roles and texts of the stored messages: `user: Hello`. */
  texts(): Promise<readonly string[]>;
  save(...messages: readonly Message[]): Promise<void>;
  /** Roles and texts of the prompt of this model call, by default the last one. */
  promptLines(call?: number): readonly string[];
}

const conversation = { id: 'c1', userId: 'ada', resourceId: 'a', title: '', metadata: {} };

export function agentWithMemory(
  turns: readonly [ScriptedReply, ...ScriptedReply[]] = ['Hello.'],
  agentOptions: Partial<AgentOptions> = {},
  memoryOptions: MemoryOptions = {},
): AgentWithMemory {
  const storage = createInMemoryStorage({ clock: fixedClock() });
  const memory = createMemory({ storage, logger: silentLogger, ...memoryOptions });
  const model = scriptedModel(...turns);
  const agent = new Agent({ id: 'a', model, memory, ...agentOptions });
  const stored = async (): Promise<readonly StoredMessage[]> =>
    (await storage.conversations.messages('anyone', 'c1', { limit: 2000 }))?.messages ?? [];
  return {
    agent,
    memory,
    storage,
    model,
    options: { userId: 'ada', conversationId: 'c1', services: { logger: silentLogger } },
    stored,
    texts: async () => (await stored()).map(lineOf),
    save: async (...messages) => {
      await storage.conversations.save('anyone', { conversationId: 'c1', messages, create: conversation });
    },
    promptLines: (call = -1) => (model.calls.at(call)?.prompt ?? []).map(lineOf),
  };
}

function lineOf(message: { readonly role: string; readonly parts?: unknown; readonly content?: unknown }): string {
  const { content, parts = content, role } = message;
  const list: readonly object[] = Array.isArray(parts) ? parts : [{ type: 'text', text: parts }];
  return `${role}: ${list.map(wordsOf).join('')}`;
}

function wordsOf(part: object): string {
  if ('text' in part) return String(part.text);
  const type = 'type' in part ? String(part.type) : '';
  if (type === 'step-start') return '';
  return 'state' in part ? `[${type} ${String(part.state)}]` : `[${type}]`;
}
