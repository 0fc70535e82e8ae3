import type { Phase } from './linear-model.ts';

/**
 * The outcome of a client's operation. `unknown`: the connection broke, or the response does not
 * decide it.
 */
export type Outcome =
  | { readonly type: 'unknown' }
  /** The execution does not exist (404 of reads and cancellations). */
  | { readonly type: 'absent' }
  /**
   * 409 of a start, 404 of a resumption whether or not the execution exists, 409 or 400 of one that
   * does not name the question that waits, 400 of a cancellation.
   */
  | { readonly type: 'refused' }
  /** The operation was applied. Its effect was not observed. */
  | { readonly type: 'done' }
  /** The operation was applied, unless it only reads, and this state was observed afterwards. */
  | { readonly type: 'saw'; readonly phase: Phase; readonly tokens: readonly string[] | undefined };

/** A call of a client, its start and end by the client's clock, and its outcome. */
export interface Operation {
  readonly kind: 'start' | 'resume' | 'cancel' | 'state' | 'events';
  readonly replica: string;
  readonly invokedAt: number;
  readonly returnedAt: number;
  readonly outcome: Outcome;
  /** The question that a resumption answers, counted from 0. */
  readonly round?: number;
  /** The token in the data of a resumption. */
  readonly token?: string;
  /** The events that were read, as JSON. Only of `events`. */
  readonly events?: readonly string[];
}

/** The operations of all clients, by execution. */
export class History {
  readonly executions = new Map<string, Operation[]>();

  add(executionId: string, operation: Operation): void {
    const operations = this.executions.get(executionId);
    if (operations === undefined) this.executions.set(executionId, [operation]);
    else operations.push(operation);
  }
}
