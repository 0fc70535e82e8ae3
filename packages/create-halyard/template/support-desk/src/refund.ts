import { createWorkflow } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import * as shop from './shop.ts';

/** Pays the money for an order back after an operator has approved it, minutes or weeks later. */
export const refund = createWorkflow({
  id: 'refund',
  // Customers ask the agent, which checks whose order it is. They neither start nor answer a refund
  // themselves.
  access: 'server',
  name: 'Refund',
  purpose: 'Asks an operator, and pays the money for an order back',
  input: Type.Object({ orderId: Type.String() }),
  resumeSchema: Type.Object({ approved: Type.Boolean({ title: 'Pay the money back' }) }),
})
  .andThen({
    id: 'approve',
    purpose: 'Waits for an operator',
    execute: ({ bail, input, resumeData, state, suspend }) => {
      const order = shop.findOrder(input.orderId, state.userId);
      if (order === undefined) return bail({ orderId: input.orderId, known: false });

      if (resumeData === undefined) return suspend(`${order.customer} asks for € ${order.euros} back`, order);
      return resumeData.approved ? order : bail({ orderId: order.orderId, declined: true });
    },
  })
  .andThen({
    id: 'pay',
    // The order of the input was approved. A replay of this step may replace `data`.
    execute: ({ input, state }) => {
      const order = shop.findOrder(input.orderId, state.userId);
      return order === undefined ? { orderId: input.orderId, known: false } : shop.refundOrder(order);
    },
  });
