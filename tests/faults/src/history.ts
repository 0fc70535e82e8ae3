import type { Phase } from './linear-model.ts';

/** What an operation of a client came to. `unknown`: the connection broke, or the server did not say. */
export type Outcome =
  | { readonly type: 'unknown' }
  /** The execution is not there (404 of what reads and cancels). */
  | { readonly type: 'absent' }
  /** 409 of a start, 404 of a resumption of something that is there or not, 400 of a cancellation. */
  | { readonly type: 'refused' }
  /** It was done, and what came of it is not known. */
  | { readonly type: 'done' }
  /** It was done, where it is more than a look, and this was seen at some moment after it. */
  | { readonly type: 'saw'; readonly phase: Phase; readonly tokens: readonly string[] | undefined };

/** A call of a client, when it began and ended by the client's clock, and what it came to. */
export interface Operation {
  readonly kind: 'start' | 'resume' | 'cancel' | 'state' | 'events';
  readonly replica: string;
  readonly invokedAt: number;
  readonly returnedAt: number;
  readonly outcome: Outcome;
  /** Of a resumption: what its answer carries. */
  readonly token?: string;
  /** Of `events`: what was read of them, each as its number and type. */
  readonly events?: readonly string[];
}

/** The operations on each execution. */
export class History {
  readonly executions = new Map<string, Operation[]>();

  add(executionId: string, operation: Operation): void {
    const operations = this.executions.get(executionId);
    if (operations === undefined) this.executions.set(executionId, [operation]);
    else operations.push(operation);
  }
}
