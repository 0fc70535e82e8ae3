import type { Api } from './api.ts';
import { Approver } from './approver.ts';
import { Customer, type OrderProgress } from './customer.ts';
import { EventPrinter } from './event-printer.ts';
import type { Order } from './schemas.ts';
import { inEuros, shop } from './shop.ts';

/** The orders of the play at its end. */
export interface PlayedOrders {
  readonly small: OrderProgress;
  readonly approved: OrderProgress;
  readonly declined: OrderProgress;
}

/**
 * Plays customers and an approver: one order that needs no approval, one that is approved while its
 * customer is disconnected, and one that is declined.
 *
 * @param write prints text that includes its line breaks.
 * @throws ApiError if a request fails.
 */
export async function playBothRoles(api: Api, write: (text: string) => void): Promise<PlayedOrders> {
  const customer = new Customer(api, new EventPrinter(write).print);
  const approver = new Approver(api, 'Grace');
  const scene = (text: string): void => write(`\n  ${text}\n`);
  const placeOrder = async (order: Order): Promise<OrderProgress> => {
    scene(`${order.customer} orders ${describe(order)}, to ${order.city}`);
    return customer.order(order);
  };

  const workflows = await api.get<readonly { id: string; purpose: string }[]>('/workflows');
  scene('The server runs these workflows');
  for (const { id, purpose } of workflows) write(`    ${id.padEnd(11)}${purpose}\n`);

  const small = await placeOrder({ customer: 'Ada', city: 'Oslo', lines: [{ sku: 'lamp', quantity: 2 }] });

  const large = await placeOrder({ customer: 'Clara', city: 'Leipzig', lines: [{ sku: 'piano', quantity: 1 }] });
  scene('Clara closes her browser. Grace lists the orders that need approval');
  for (const waiting of await printWaiting(approver, write))
    if (waiting.id === large.executionId) await approver.approve(waiting);
  scene('Clara reconnects and receives the events since then');
  const approved = await customer.reconnect(large);

  const doubtful = await placeOrder({ customer: 'Bob', city: 'Rome', lines: [{ sku: 'chair', quantity: 12 }] });
  scene('Grace lists them again');
  for (const waiting of await printWaiting(approver, write))
    if (waiting.id === doubtful.executionId) await approver.decline(waiting, 'twelve chairs, for one person?');
  scene('Bob reads the answer');
  const declined = await customer.reconnect(doubtful);

  await printExecutions(api, write);
  return { small, approved, declined };
}

async function printWaiting(approver: Approver, write: (text: string) => void): ReturnType<Approver['listWaiting']> {
  const waiting = await approver.listWaiting();
  for (const { suspension } of waiting) {
    const { cents, customer } = suspension.suspendData;
    write(`    ${customer.padEnd(11)}${inEuros(cents)}\n`);
  }
  return waiting;
}

interface ExecutionSummary {
  readonly id: string;
  readonly workflowName: string;
  readonly status: string;
  readonly userId?: string;
  readonly events: readonly unknown[];
}

/** Prints the newest executions, each followed by the executions of its sub-workflows. */
async function printExecutions(api: Api, write: (text: string) => void): Promise<void> {
  const list = (filter: string): Promise<readonly ExecutionSummary[]> => api.get(`/workflows/executions?${filter}`);
  const line = (name: string, { events, id, status }: ExecutionSummary): void =>
    write(`    ${name.padEnd(11)}${status.padEnd(11)}${String(events.length).padStart(3)} events  ${id}\n`);

  write('\n  The recorded executions, newest first\n');
  for (const execution of await list('workflowId=order&limit=3')) {
    line(execution.userId ?? '', execution);
    for (const child of await list(`parentExecutionId=${execution.id}`)) line(`└ ${child.workflowName}`, child);
  }
  write('\n');
}

function describe({ lines }: Order): string {
  return lines.map(({ quantity, sku }) => `${quantity} × ${shop.get(sku)?.name ?? sku}`).join(' and ');
}
