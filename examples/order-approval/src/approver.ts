import type { RunResult, SuspensionReport } from '@halyard/core';
import type { Api } from './api.ts';
import type { Approval, ApprovalRequest, Receipt } from './schemas.ts';

/** An order that waits for somebody's yes or no. */
export interface WaitingOrder {
  readonly id: string;
  readonly suspension: Pick<SuspensionReport, 'reason' | 'stepId'> & { readonly suspendData: ApprovalRequest };
}

/** Decides on orders that wait. */
export class Approver {
  readonly #api: Api;
  readonly #name: string;

  constructor(api: Api, name: string) {
    this.#api = api;
    this.#name = name;
  }

  /** What waits, newest first. */
  async inbox(): Promise<readonly WaitingOrder[]> {
    return this.#api.get('/workflows/executions?workflowId=order&status=suspended');
  }

  async approve(order: WaitingOrder): Promise<RunResult<Receipt>> {
    return this.#answer(order, { approved: true, by: this.#name });
  }

  async decline(order: WaitingOrder, reason: string): Promise<RunResult<Receipt>> {
    return this.#answer(order, { approved: false, by: this.#name, reason });
  }

  async #answer({ id, suspension }: WaitingOrder, resumeData: Approval): Promise<RunResult<Receipt>> {
    const options = { stepId: suspension.stepId };
    return this.#api.post(`/workflows/order/executions/${id}/resume`, { resumeData, options });
  }
}
