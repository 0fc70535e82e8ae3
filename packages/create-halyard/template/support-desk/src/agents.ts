import { Agent, createTool, type LanguageModel } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import * as shop from './shop.ts';

/** Starts the workflow `refund`. @returns the id of the execution. */
export type StartRefund = (orderId: string, userId: string | undefined) => Promise<string>;

const OrderId = Type.String({ pattern: '^[Kk]-\\d+$', description: 'The number of an order, such as K-17' });

/** A tool checks its user's rights: the model passes on any text of the user. */
const findOrder = createTool({
  name: 'findOrder',
  description: 'Finds an order of the customer: item, price and state',
  input: Type.Object({ orderId: OrderId }),
  execute: ({ orderId }, { user, userId }) => shop.findOrder(orderId, user && userId) ?? { orderId, known: false },
});

const searchHelp = createTool({
  name: 'searchHelp',
  description: 'Searches the help articles about returns, delivery and sizes',
  input: Type.Object({ words: Type.String() }),
  execute: ({ words }) => ({ articles: shop.searchHelp(words) }),
});

export function createSupport(model: LanguageModel, startRefund: StartRefund): Agent {
  const requestRefund = createTool({
    name: 'requestRefund',
    description: 'Asks an operator to pay the money for an order back',
    input: Type.Object({ orderId: OrderId }),
    execute: async ({ orderId }, { user, userId }) => {
      if (shop.findOrder(orderId, user && userId) === undefined) return { orderId, known: false };
      return { orderId, refund: await startRefund(orderId, user && userId), waitsFor: 'an operator' };
    },
  });
  return new Agent({
    id: 'support',
    name: 'Support',
    description: 'Answers customers: orders, returns, refunds',
    suggestions: ['Where is K-17?', 'Can I return it?', 'Refund K-18'],
    instructions:
      'You answer the customers of a shop for outdoor gear. Look everything up with your tools, and never guess. Request a refund only when the customer asks for it; an operator decides about it. Be brief and kind.',
    model,
    tools: [findOrder, searchHelp, requestRefund],
  });
}
