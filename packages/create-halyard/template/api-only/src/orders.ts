/** Where orders come from. Use your own database here. */
const orders = new Map([
  ['17', { orderId: '17', status: 'shipped', arrives: 'Friday' }],
  ['18', { orderId: '18', status: 'packed', arrives: 'Monday' }],
]);

export function findOrder(orderId: string) {
  return orders.get(orderId);
}
