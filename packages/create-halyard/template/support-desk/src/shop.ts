/** The systems behind the desk. Call your own ones here. */
export interface Order {
  readonly orderId: string;
  /** The id of the user who bought it. */
  readonly customer: string;
  readonly item: string;
  readonly euros: number;
  readonly state: 'packed' | 'on its way' | 'delivered' | 'refunded';
}

const orders = new Map<string, Order>(
  [
    { orderId: 'K-17', customer: 'ada', item: 'Rain jacket', euros: 149, state: 'on its way' as const },
    { orderId: 'K-18', customer: 'ada', item: 'Trail tent for two', euros: 289, state: 'delivered' as const },
    { orderId: 'K-19', customer: 'bob', item: 'Hiking boots', euros: 179, state: 'packed' as const },
  ].map((order) => [order.orderId, order]),
);

const articles = [
  { title: 'Returns', text: 'You can return unused items within 30 days.' },
  { title: 'Delivery', text: 'We deliver within three days.' },
  { title: 'Sizes', text: 'Jackets have their usual size. Take boots one size larger.' },
];

/** An order of this user; of anyone where access control has verified no user. */
export function findOrder(orderId: string, userId: string | undefined): Order | undefined {
  const order = orders.get(orderId.toUpperCase());
  return userId === undefined || order?.customer === userId ? order : undefined;
}

/** Pays the money back once, however often it is called. */
export function refundOrder(order: Order): Order {
  const refunded: Order = { ...order, state: 'refunded' };
  orders.set(order.orderId, refunded);
  return refunded;
}

export function searchHelp(words: string): readonly { readonly title: string; readonly text: string }[] {
  const wanted = words.toLowerCase().split(/\W+/);
  return articles.filter(({ title, text }) =>
    wanted.some((word) => word.length > 2 && `${title} ${text}`.toLowerCase().includes(word)),
  );
}
