import { createHash } from 'node:crypto';

/** An order of the shop. */
export interface Order {
  readonly orderId: string;
  readonly item: string;
  readonly euros: number;
  readonly state: 'packed' | 'on its way' | 'delivered';
  /** 0 unless it was delivered. */
  readonly deliveredDaysAgo: number;
}

export interface Parcel {
  readonly orderId: string;
  readonly carrier: string;
  readonly place: string;
  readonly arrives: string;
}

/** The systems behind the desk: orders, the carriers, and the bank. */
export interface Shop {
  /** @returns undefined for an unknown order. */
  findOrder(orderId: string): Promise<Order | undefined>;
  trackParcel(orderId: string): Promise<Parcel | undefined>;
  changeAddress(orderId: string, address: string): Promise<{ readonly orderId: string; readonly address: string }>;
  cancelOrder(orderId: string): Promise<{ readonly orderId: string; readonly cancelled: boolean }>;
  giveVoucher(euros: number, key: string): Promise<{ readonly euros: number; readonly code: string }>;
  /** Pays once for each key, however often it is called. @returns the number of the payment. */
  payBack(orderId: string, euros: number, key: string): Promise<string>;
}

const items: readonly (readonly [string, number])[] = [
  ['Trail tent for two', 289],
  ['Down sleeping bag', 219],
  ['Rain jacket', 149],
  ['Pair of hiking boots', 179],
  ['Gas stove', 59],
  ['Head torch', 39],
  ['Pair of trekking poles', 89],
  ['Backpack 45 l', 159],
  ['Merino shirt', 69],
  ['Water filter', 45],
];
const states = ['packed', 'delivered', 'on its way', 'delivered'] as const;
const places = ['Hamburg', 'Aarhus', 'Malmö', 'Rotterdam', 'Leipzig', 'Gdańsk'];

/**
 * A shop without a database: every order from K-1000 to K-1999 exists, and its number decides what
 * it is.
 */
export const demoShop: Shop = {
  findOrder: async (orderId) => orderOf(orderId),
  trackParcel: async (orderId) => {
    const order = orderOf(orderId);
    if (order === undefined) return undefined;
    const number = Number(order.orderId.slice(2));
    return {
      orderId: order.orderId,
      carrier: number % 3 === 0 ? 'Slowboat' : 'Northwind',
      place: places[number % places.length] ?? '',
      arrives: order.state === 'delivered' ? 'it has arrived' : number % 2 === 0 ? 'tomorrow' : 'in two days',
    };
  },
  changeAddress: async (orderId, address) => ({ orderId, address }),
  cancelOrder: async (orderId) => ({ orderId, cancelled: orderOf(orderId)?.state !== 'delivered' }),
  giveVoucher: async (euros, key) => ({ euros, code: `KESTREL-${codeOf(key, 6)}` }),
  payBack: async (_orderId, _euros, key) => `P-${codeOf(key, 8)}`,
};

/** The name of a customer, from the id of the user: `ada.lindqvist`. */
export function nameOf(userId: string): string {
  return userId.replaceAll('.', ' ').replaceAll(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
}

function orderOf(text: string): Order | undefined {
  const orderId = text.trim().toUpperCase();
  if (!/^K-1\d{3}$/u.test(orderId)) return undefined;
  const number = Number(orderId.slice(2));
  const [item, euros] = items[number % items.length] ?? ['Gift card', 25];
  const state = states[Math.floor(number / 7) % states.length] ?? 'delivered';
  return { orderId, item, euros, state, deliveredDaysAgo: state === 'delivered' ? 1 + ((number * 7) % 45) : 0 };
}

function codeOf(key: string, length: number): string {
  return createHash('sha256').update(key).digest('hex').slice(0, length).toUpperCase();
}
