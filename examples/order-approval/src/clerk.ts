import { Agent, createTool, type LanguageModel } from '@halyard/core';
import { Type } from '@sinclair/typebox';

const daysOnTheWay = 3;

/** The agent that writes to customers. */
export function createClerk(model: LanguageModel): Agent {
  return new Agent({
    id: 'clerk',
    name: 'Clerk',
    description: 'Tells customers when their parcel arrives',
    instructions:
      'You write to customers of a small shop. Look up when their parcel arrives, and thank them by name. Two sentences.',
    model,
    tools: [deliveryDay],
    // Reasoning models reject some sampling settings, so none is sent.
    generation: {
      temperature: null,
      maxOutputTokens: null,
      topP: null,
      frequencyPenalty: null,
      presencePenalty: null,
    },
  });
}

const deliveryDay = createTool({
  name: 'deliveryDay',
  description: 'The day on which a parcel arrives',
  input: Type.Object({ parcel: Type.String({ pattern: '^P-[0-9A-F]{6}$', description: 'A number such as P-12AB34' }) }),
  execute: ({ parcel }) => {
    const day = new Date(Date.now() + daysOnTheWay * 24 * 60 * 60 * 1000);
    return {
      parcel,
      arrives: new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' }).format(day),
    };
  },
});
