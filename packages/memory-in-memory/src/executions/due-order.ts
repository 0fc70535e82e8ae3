import { DueHeap, isEarlier } from './due-heap.ts';
import type { StoredRoot } from './stored-execution.ts';

/** Which executions want a runner, and when: those that nobody holds when they are due, the others when their lease runs out. */
export class DueOrder {
  readonly #free = new DueHeap<StoredRoot>();
  readonly #held = new DueHeap<StoredRoot>();

  /** Says when an execution wants a runner; infinite: not before a signal. To be called after its `runner` has changed, too. */
  place(root: StoredRoot, wantsRunnerAt: number): void {
    root.wantsRunnerAt = wantsRunnerAt;
    const heap = this.#heapOf(root);
    if (root.heap === heap) {
      heap?.moved(root);
      return;
    }
    root.heap?.remove(root);
    root.heap = heap;
    heap?.add(root);
  }

  /** The time that the next execution that nobody holds is due. */
  nextDueAt(): number | undefined {
    return this.#free.first?.wantsRunnerAt;
  }

  /** Those of these workflows that want a runner by now, the longest due first. */
  due(now: number, workflowIds: ReadonlySet<string>, limit: number): readonly StoredRoot[] {
    const due: StoredRoot[] = [];
    const seen: StoredRoot[] = [];
    while (due.length < limit) {
      const next = this.#first();
      if (next === undefined || next.wantsRunnerAt > now) break;
      next.heap?.remove(next);
      seen.push(next);
      if (workflowIds.has(next.workflowId)) due.push(next);
    }
    for (const root of seen) root.heap?.add(root);
    return due;
  }

  #first(): StoredRoot | undefined {
    const [free, held] = [this.#free.first, this.#held.first];
    if (free === undefined || held === undefined) return free ?? held;
    return isEarlier(held, free) ? held : free;
  }

  #heapOf(root: StoredRoot): DueHeap<StoredRoot> | undefined {
    if (root.wantsRunnerAt === Infinity) return undefined;
    return root.runner === null ? this.#free : this.#held;
  }
}
