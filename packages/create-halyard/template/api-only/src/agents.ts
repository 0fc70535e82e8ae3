import { Agent, createTool, type LanguageModel } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { findOrder } from './orders.ts';

const orderStatus = createTool({
  name: 'orderStatus',
  description: 'Where an order of the customer is',
  input: Type.Object({ orderId: Type.String() }),
  execute: ({ orderId }, { user, userId }) => findOrder(orderId, user && userId) ?? { orderId, status: 'unknown' },
});

export function createSupport(model: LanguageModel): Agent {
  return new Agent({
    id: 'support',
    description: 'Answers questions about orders',
    suggestions: ['Where is order 17?'],
    instructions: 'You answer questions about orders. Look them up with your tool, and be brief.',
    model,
    tools: [orderStatus],
  });
}
