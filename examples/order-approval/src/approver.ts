import type { RunResult, SuspensionReport } from '@halyard/core';
import type { Api } from './api.ts';
import type { Approval, ApprovalRequest, Receipt } from './schemas.ts';

/** A suspended order that needs approval. */
export interface WaitingOrder {
  readonly id: string;
  readonly suspension: Pick<SuspensionReport, 'reason' | 'suspensionId'> & { readonly suspendData: ApprovalRequest };
}

/** Approves or declines suspended orders. */
export class Approver {
  readonly #api: Api;
  readonly #name: string;

  constructor(api: Api, name: string) {
    this.#api = api;
    this.#name = name;
  }

  /** The suspended orders, newest first. */
  async listWaiting(): Promise<readonly WaitingOrder[]> {
    return this.#api.get('/workflows/executions?workflowId=order&status=suspended');
  }

  async approve(order: WaitingOrder): Promise<RunResult<Receipt>> {
    return this.#resume(order, { approved: true, by: this.#name });
  }

  async decline(order: WaitingOrder, reason: string): Promise<RunResult<Receipt>> {
    return this.#resume(order, { approved: false, by: this.#name, reason });
  }

  async #resume({ id, suspension }: WaitingOrder, resumeData: Approval): Promise<RunResult<Receipt>> {
    // If the order waits for something else by now, the reply is 409.
    const options = { suspensionId: suspension.suspensionId };
    return this.#api.post(`/workflows/order/executions/${id}/resume`, { resumeData, options });
  }
}
