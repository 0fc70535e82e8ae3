import type { FixedClock } from '@halyard/core/testing';
import { demoShop, type Shop } from '../shop.ts';
import type { Random } from './random.ts';

/**
 * The shop of the history: its systems take their time on the clock of the history, and fail when
 * the script says so.
 */
export class HistoryShop implements Shop {
  readonly #clock: FixedClock;
  readonly #random: Random;
  #failure: string | undefined;

  constructor(clock: FixedClock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** The next call that depends on another company fails with this message. */
  failWith(message: string | undefined): void {
    this.#failure = message;
  }

  findOrder: Shop['findOrder'] = async (orderId) => {
    this.#take(45);
    return demoShop.findOrder(orderId);
  };

  trackParcel: Shop['trackParcel'] = async (orderId) => {
    this.#askOthers(420);
    return demoShop.trackParcel(orderId);
  };

  changeAddress: Shop['changeAddress'] = async (orderId, address) => {
    this.#take(80);
    return demoShop.changeAddress(orderId, address);
  };

  cancelOrder: Shop['cancelOrder'] = async (orderId) => {
    this.#take(110);
    return demoShop.cancelOrder(orderId);
  };

  giveVoucher: Shop['giveVoucher'] = async (euros, key) => {
    this.#take(60);
    return demoShop.giveVoucher(euros, key);
  };

  payBack: Shop['payBack'] = async (orderId, euros, key) => {
    this.#askOthers(850);
    return demoShop.payBack(orderId, euros, key);
  };

  #askOthers(medianMs: number): void {
    this.#take(medianMs);
    if (this.#failure === undefined) return;
    this.#take(8_000);
    throw new Error(this.#failure);
  }

  #take(medianMs: number): void {
    this.#clock.advance(Math.round(this.#random.around(medianMs, 0.5)));
  }
}
