import { silentLogger, type Storage } from '@halyard/contracts';
import { createWorkflow, WorkflowRuntime } from '@halyard/core';
import { createPostgresStorage } from '../postgres-storage.ts';

/** So long that only a lost session lets another process continue what one had. */
export const heldLeaseMs = 3_600_000;

export interface RunningProcess {
  readonly runtime: WorkflowRuntime;
  readonly storage: Storage;
  readonly close: () => Promise<void>;
}

/**
 * The storage and the runtime of a process that runs the workflow `held`, whose step ends with
 * `hold`.
 */
export function runHeldWorkflow(connectionString: string, hold: () => Promise<unknown>): RunningProcess {
  const storage = createPostgresStorage({ connectionString, maxConnections: 4, logger: silentLogger });
  const held = createWorkflow({ id: 'held', input: { type: 'object' } }).andThen({
    id: 'hold',
    execute: async () => {
      await hold();
      return { by: process.pid };
    },
  });
  const runtime = new WorkflowRuntime({
    workflows: [held],
    storage,
    leaseMs: heldLeaseMs,
    services: { logger: silentLogger },
  });
  runtime.start();
  const close = async (): Promise<void> => {
    await runtime.stop(0);
    await storage.close();
  };
  return { runtime, storage, close };
}
