import type { WorkingMemoryStore } from '@halyard/contracts';
import { Agent, type BusyPolicy, type GenerationSettings, type LanguageModel } from '@halyard/core';
import { convertUnits, getTime } from './everyday-tools.ts';
import { createNoteTools } from './notes.ts';

/**
 * No sampling settings are sent, because reasoning models reject some of them. The provider's
 * defaults apply.
 */
const providerDefaults: GenerationSettings = {
  temperature: null,
  maxOutputTokens: null,
  topP: null,
  frequencyPenalty: null,
  presencePenalty: null,
};

/**
 * One agent with tools, and one that delegates to it. By default, a new message replaces the answer
 * that is still being generated.
 */
export function createAgents(
  model: LanguageModel,
  workingMemory: WorkingMemoryStore,
  onBusy: BusyPolicy = 'interrupt',
): { assistant: Agent; concierge: Agent } {
  const assistant = new Agent({
    id: 'assistant',
    name: 'Assistant',
    description: 'Tells the time anywhere, converts units and keeps notes',
    suggestions: ['What time is it in Tokyo?', 'Convert 5 miles to kilometres', 'Note: buy oars', 'Delete all notes'],
    instructions: 'You help with small everyday things. Use your tools, and be brief.',
    model,
    tools: [getTime, convertUnits, ...createNoteTools(workingMemory)],
    generation: providerDefaults,
    onBusy,
  });
  const concierge = new Agent({
    id: 'concierge',
    name: 'Concierge',
    description: 'Takes any request and hands it to the agent that can do it',
    instructions:
      'You are the front desk. Hand every request about times, units or notes to the assistant, and pass its answer on.',
    model,
    subAgents: [assistant],
    generation: providerDefaults,
    onBusy,
  });
  return { assistant, concierge };
}
