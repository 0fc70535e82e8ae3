/** An order of a customer. */
export interface Order {
  readonly id: string;
  readonly customerId: string;
  readonly item: string;
  readonly status: 'packed' | 'shipped' | 'delivered';
}

/** The data of the app, in place of its database. */
export const orders: readonly Order[] = [
  { id: '17', customerId: 'ada', item: 'Storm jib', status: 'shipped' },
  { id: '18', customerId: 'ada', item: 'Oars', status: 'packed' },
  { id: '19', customerId: 'grace', item: 'Compass', status: 'delivered' },
];
