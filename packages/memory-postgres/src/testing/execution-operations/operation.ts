import type { ClaimOptions, Commit, Execution, ExecutionStore } from '@halyard/contracts';

/** The clock advances by this much before each operation. */
export const hour = 3_600_000;
export const maxOperations = 40;

/** The state that an operation may read before it is made, such as the epoch for a commit. */
export interface OperationContext {
  /** Unique in a sequence. */
  readonly number: number;
  readonly now: number;
  readonly find: (id: string) => Promise<Execution | undefined>;
  /** The last commit of each execution, to repeat it. */
  readonly commits: Map<string, Commit>;
}

/** A call of the port, which can be made on several stores. */
export interface Call {
  readonly method: keyof ExecutionStore;
  readonly parameters: readonly unknown[];
  readonly answer: (store: ExecutionStore) => Promise<unknown>;
}
export type Operation = (context: OperationContext) => Promise<Call>;

/**
 * A duration that ends between two operations, and never together with that of another: the time
 * that a call takes changes nothing.
 */
export function lasting(wholeHours: number, number: number): number {
  return wholeHours * hour - (maxOperations + number) * 30_000;
}

export function callOf(method: Call['method'], parameters: readonly unknown[], answer: Call['answer']): Operation {
  return async () => ({ method, parameters, answer });
}

export function claimCall(id: string, runner: string, leaseMs: number, options: ClaimOptions = {}): Call {
  const lease = { runner, leaseMs };
  return {
    method: 'claim',
    parameters: [id, lease, options],
    answer: (store) => store.claim(id, lease, options),
  };
}

export function commitCall(made: Commit): Call {
  return { method: 'commit', parameters: [made], answer: (store) => store.commit(made) };
}
