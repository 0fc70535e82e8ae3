import type { Api } from './api.ts';
import { Approver } from './approver.ts';
import { Customer, type OrderSoFar } from './customer.ts';
import type { Order } from './schemas.ts';
import { inEuros, shop } from './shop.ts';
import { ToldEvents } from './told-events.ts';

/** How the orders of the play ended. */
export interface Played {
  readonly small: OrderSoFar;
  readonly approved: OrderSoFar;
  readonly declined: OrderSoFar;
}

/**
 * Customers order, an approver decides: an order that needs nobody, one that is approved while its customer is away, and one that is declined.
 *
 * @param write is given text to show, with its line breaks.
 * @throws ApiError when the server does not do its part.
 */
export async function playBothRoles(api: Api, write: (text: string) => void): Promise<Played> {
  const customer = new Customer(api, new ToldEvents(write).tell);
  const approver = new Approver(api, 'Grace');
  const scene = (text: string): void => write(`\n  ${text}\n`);
  const orders = async (order: Order): Promise<OrderSoFar> => {
    scene(`${order.customer} orders ${wordsOf(order)}, to ${order.city}`);
    return customer.order(order);
  };

  const workflows = await api.get<readonly { id: string; purpose: string }[]>('/workflows');
  scene('The server runs these workflows');
  for (const { id, purpose } of workflows) write(`    ${id.padEnd(11)}${purpose}\n`);

  const small = await orders({ customer: 'Ada', city: 'Oslo', lines: [{ sku: 'lamp', quantity: 2 }] });

  const large = await orders({ customer: 'Clara', city: 'Leipzig', lines: [{ sku: 'piano', quantity: 1 }] });
  scene('Clara closes her browser. Grace looks at what waits for approval');
  for (const waiting of await showInbox(approver, write))
    if (waiting.id === large.executionId) await approver.approve(waiting);
  scene('Clara comes back, and reads what happened meanwhile');
  const approved = await customer.comeBack(large);

  const doubtful = await orders({ customer: 'Bob', city: 'Rome', lines: [{ sku: 'chair', quantity: 12 }] });
  scene('Grace looks again');
  for (const waiting of await showInbox(approver, write))
    if (waiting.id === doubtful.executionId) await approver.decline(waiting, 'twelve chairs, for one person?');
  scene('Bob reads the answer');
  const declined = await customer.comeBack(doubtful);

  await showExecutions(api, write);
  return { small, approved, declined };
}

async function showInbox(approver: Approver, write: (text: string) => void): ReturnType<Approver['inbox']> {
  const inbox = await approver.inbox();
  for (const { suspension } of inbox) {
    const { cents, customer } = suspension.suspendData;
    write(`    ${customer.padEnd(11)}${inEuros(cents)}\n`);
  }
  return inbox;
}

interface Recorded {
  readonly id: string;
  readonly workflowName: string;
  readonly status: string;
  readonly userId?: string;
  readonly events: readonly unknown[];
}

/** The newest executions, those of their sub-workflows below them. */
async function showExecutions(api: Api, write: (text: string) => void): Promise<void> {
  const list = (filter: string): Promise<readonly Recorded[]> => api.get(`/workflows/executions?${filter}`);
  const line = (name: string, { events, id, status }: Recorded): void =>
    write(`    ${name.padEnd(11)}${status.padEnd(11)}${String(events.length).padStart(3)} events  ${id}\n`);

  write('\n  What the server has recorded, newest first\n');
  for (const execution of await list('workflowId=order&limit=3')) {
    line(execution.userId ?? '', execution);
    for (const child of await list(`parentExecutionId=${execution.id}`)) line(`└ ${child.workflowName}`, child);
  }
  write('\n');
}

function wordsOf({ lines }: Order): string {
  return lines.map(({ quantity, sku }) => `${quantity} × ${shop.get(sku)?.name ?? sku}`).join(' and ');
}
