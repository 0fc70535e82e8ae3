import { Agent, createTool, type LanguageModel } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import * as shop from './shop.ts';

const OrderId = Type.String({ pattern: '^[Kk]-\\d+$', description: 'The number of an order, such as K-17' });

const findOrder = createTool({
  name: 'findOrder',
  description: 'Finds an order: item, price and state',
  input: Type.Object({ orderId: OrderId }),
  execute: ({ orderId }) => shop.findOrder(orderId) ?? { orderId, known: false },
});

const searchHelp = createTool({
  name: 'searchHelp',
  description: 'Searches the help articles about returns, delivery and sizes',
  input: Type.Object({ words: Type.String() }),
  execute: ({ words }) => ({ articles: shop.searchHelp(words) }),
});

/** Money is paid back only after a person has approved the call. */
const refundOrder = createTool({
  name: 'refundOrder',
  description: 'Pays the money for an order back',
  input: Type.Object({ orderId: OrderId }),
  needsApproval: true,
  execute: ({ orderId }) => shop.refundOrder(orderId) ?? { orderId, known: false },
});

export function createSupport(model: LanguageModel): Agent {
  return new Agent({
    id: 'support',
    name: 'Support',
    description: 'Answers customers: orders, returns, refunds',
    instructions:
      'You answer the customers of a shop for outdoor gear. Look everything up with your tools, and never guess. Refund an order only when the customer asks for it. Be brief and kind.',
    model,
    tools: [findOrder, searchHelp, refundOrder],
  });
}
