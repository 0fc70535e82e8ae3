/** Where orders come from. Use your own database here. */
const orders = new Map([
  ['17', { orderId: '17', customer: 'ada', status: 'shipped', arrives: 'Friday' }],
  ['18', { orderId: '18', customer: 'bob', status: 'packed', arrives: 'Monday' }],
]);

/** An order of this user; of anyone where access control has verified no user. */
export function findOrder(orderId: string, userId: string | undefined) {
  const order = orders.get(orderId);
  return userId === undefined || order?.customer === userId ? order : undefined;
}
