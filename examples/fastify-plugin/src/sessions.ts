import { randomBytes } from 'node:crypto';

/** A customer of the app. */
export interface Customer {
  readonly id: string;
  readonly name: string;
  readonly role: 'customer' | 'staff';
}

/** The sessions of the app as they were before Halyard. In an app of yours: a table, or Redis. */
export class Sessions {
  readonly #customers = new Map<string, Customer>();

  open(customer: Customer): string {
    const id = randomBytes(32).toString('base64url');
    this.#customers.set(id, customer);
    return id;
  }

  find(id: string): Customer | undefined {
    return this.#customers.get(id);
  }

  end(id: string): void {
    this.#customers.delete(id);
  }
}
