import { createTool, type Tool } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import type { Shop } from './shop.ts';

export const OrderId = Type.String({ pattern: '^K-1\\d{3}$', description: 'The number of an order, such as K-1042' });

/** Tools of the agent for orders. What cannot be undone needs the approval of a person. */
export function createOrderTools(shop: Shop): readonly Tool[] {
  const findOrder = createTool({
    name: 'findOrder',
    description: 'Look up an order: item, price and state',
    input: Type.Object({ orderId: OrderId }),
    execute: async ({ orderId }) => (await shop.findOrder(orderId)) ?? { orderId, known: false },
  });
  const trackParcel = createTool({
    name: 'trackParcel',
    description: 'Track the parcel of an order: where it is and when it arrives',
    input: Type.Object({ orderId: OrderId }),
    execute: async ({ orderId }) => (await shop.trackParcel(orderId)) ?? { orderId, known: false },
  });
  const changeAddress = createTool({
    name: 'changeAddress',
    description: 'Change the delivery address of an order',
    input: Type.Object({ orderId: OrderId, address: Type.String({ minLength: 5, maxLength: 200 }) }),
    needsApproval: true,
    execute: ({ address, orderId }) => shop.changeAddress(orderId, address),
  });
  const cancelOrder = createTool({
    name: 'cancelOrder',
    description: 'Cancel an order that has not arrived yet',
    input: Type.Object({ orderId: OrderId }),
    needsApproval: true,
    execute: ({ orderId }) => shop.cancelOrder(orderId),
  });
  return [findOrder, trackParcel, changeAddress, cancelOrder];
}
