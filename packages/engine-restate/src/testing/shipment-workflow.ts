import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, andAgent, andThen, createWorkflow } from '@halyard/core';
import type { WorkflowDefinition } from '@halyard/core/server';
import { scriptedModel } from '@halyard/core/testing';

export interface ShipmentInput {
  /** The key of its event `paid`. */
  readonly orderId: string;
}

/** What one run of a step returns: no other run returns the same. */
export interface Ran {
  readonly by: string;
}

/**
 * A workflow that runs in parallel, calls an agent, sleeps, waits for a person and for an event. It
 * returns what its steps saw of the steps before them, which must agree with the journal.
 */
export function shipmentWorkflow(): WorkflowDefinition {
  const clerk = new Agent({ id: 'clerk', model: scriptedModel('fine') });
  const ran = async (signal: AbortSignal): Promise<Ran> => {
    await delay(20, undefined, { signal });
    return { by: `${process.pid} ${randomUUID()}` };
  };
  return createWorkflow({ id: 'shipment', name: 'Shipment', purpose: 'Ships an order' })
    .andThen({ id: 'pack', execute: ({ signal }) => ran(signal) })
    .andAll({
      id: 'checks',
      steps: [
        andThen({ id: 'weigh', execute: ({ signal }) => ran(signal) }),
        andThen({ id: 'label', execute: ({ signal }) => ran(signal) }),
        andAgent({ id: 'ask', agent: clerk, prompt: () => 'Is it fine?' }),
      ],
    })
    .andSleep({ id: 'nap', durationMs: 500 })
    .andThen({ id: 'approve', execute: ({ resumeData, suspend }) => resumeData ?? suspend('needs approval') })
    .andWaitForEvent({ id: 'paid', event: 'paid', key: ({ input }) => (input as ShipmentInput).orderId })
    .andThen({
      id: 'ship',
      execute: async ({ data, getStepData, signal }) => ({
        ...(await ran(signal)),
        paid: data,
        seen: Object.fromEntries(
          ['pack', 'weigh', 'label', 'approve'].map((id) => [id, getStepData(id)?.output ?? null]),
        ),
      }),
    });
}
