import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createTool } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { isSummary } from '../../../../packages/core/src/conversation/summary.ts';
import {
  type AgentWithMemory,
  agentWithMemory,
} from '../../../../packages/core/src/memory/testing/agent-with-memory.ts';
import { type ScriptedModel, scriptedModel, type ScriptedReply } from '../../../../packages/core/src/testing/index.ts';
import type { Random } from '../../../../packages/core/src/workflow/testing/random.ts';

/** An agent of a simulation. Its saves take time. */
export interface SimulatedAgent extends AgentWithMemory {
  /** The model that writes summaries. */
  readonly notes: ScriptedModel;
  /** `failingSave`: which of the next saves fails, from 1 on; 0: none. */
  readonly faults: { failingSave: number };
}

interface SimulatedAgentOptions {
  readonly nextTurn: () => ScriptedReply;
  readonly compacts: boolean;
}

/** @param random only for the saves: their number depends on timing. */
export function simulatedAgent(random: Random, { compacts, nextTurn }: SimulatedAgentOptions): SimulatedAgent {
  const notes = scriptedModel('Notes.');
  const setup = agentWithMemory([nextTurn], {
    retries: { maxRetries: 0 },
    ...(compacts && { compaction: { afterTokens: 200, keep: 1, model: notes } }),
    tools: [
      createTool({ name: 'look', description: '', input: Type.Object({}), execute: () => yieldToEventLoop('seen') }),
      createTool({
        name: 'pay',
        description: '',
        input: Type.Object({}),
        needsApproval: true,
        execute: () => yieldToEventLoop('paid'),
      }),
      createTool({ name: 'locate', description: '', input: Type.Object({}) }),
    ],
  });
  const faults = { failingSave: 0 };
  const { conversations } = setup.storage;
  const save = conversations.save.bind(conversations);
  conversations.save = async (...args) => {
    for (let turns = random.below(3); turns > 0; turns -= 1) await yieldToEventLoop();
    // A summary that cannot be stored fails no run.
    const isOfSummary = args[1].messages.length > 0 && args[1].messages.every(isSummary);
    if (faults.failingSave > 0 && !isOfSummary) {
      faults.failingSave -= 1;
      if (faults.failingSave === 0) return Promise.reject(new RangeError('the disk is full'));
    }
    return save(...args);
  };
  return { ...setup, notes, faults };
}
