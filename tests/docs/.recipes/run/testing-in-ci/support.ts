import { Agent, createMemory, createTool, type LanguageModel } from '@halyard/core';
import { Type } from '@sinclair/typebox';

export function createSupport(model: LanguageModel, refunded: string[] = []) {
  const refund = createTool({
    name: 'refund',
    description: 'Pays an order back',
    input: Type.Object({ orderId: Type.String({ pattern: '^\\d+$' }) }),
    needsApproval: true,
    execute: ({ orderId }) => {
      refunded.push(orderId);
      return { orderId, refunded: true };
    },
  });
  return new Agent({
    id: 'support',
    instructions: 'Be brief and kind.',
    model,
    tools: [refund],
    memory: createMemory(),
    retries: { maxRetries: 2, initialDelayMs: 1 },
  });
}
