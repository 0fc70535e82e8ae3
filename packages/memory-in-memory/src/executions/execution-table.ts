import type { CreateOptions, NewExecution, Owner } from '@halyard/contracts';
import { LinkedList } from '../conversations/linked-list.ts';
import { ListsByKey } from '../telemetry/lists-by-key.ts';
import { DueOrder } from './due-order.ts';
import { StoredRoot, type StoredChild } from './stored-execution.ts';

/** All executions, and the orders they are looked up in. */
export class ExecutionTable {
  readonly due: DueOrder = new DueOrder();
  readonly #byId = new Map<string, StoredRoot | StoredChild>();
  readonly #roots = new LinkedList<StoredRoot>();
  readonly #rootsByWorkflow = new ListsByKey<StoredRoot>();
  readonly #rootsByUser = new ListsByKey<StoredRoot>();
  #created = 0;

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): StoredRoot | StoredChild | undefined {
    return this.#byId.get(id);
  }

  find(owner: Owner, id: string): StoredRoot | StoredChild | undefined {
    const stored = this.#byId.get(id);
    return stored !== undefined && (owner === 'anyone' || stored.userId === owner.user) ? stored : undefined;
  }

  getRoot(id: string): StoredRoot | undefined {
    const stored = this.#byId.get(id);
    return stored instanceof StoredRoot ? stored : undefined;
  }

  findRoot(owner: Owner, id: string): StoredRoot | undefined {
    const stored = this.find(owner, id);
    return stored instanceof StoredRoot ? stored : undefined;
  }

  /** The smallest list that holds every root of this workflow and user. Oldest first. */
  rootsOf(workflowId: string | undefined, userId: string | undefined): LinkedList<StoredRoot> {
    const ofWorkflow = workflowId === undefined ? this.#roots : this.#rootsByWorkflow.get(workflowId);
    const ofUser = userId === undefined ? this.#roots : this.#rootsByUser.get(userId);
    if (ofWorkflow === undefined || ofUser === undefined) return new LinkedList();
    return ofUser.size < ofWorkflow.size ? ofUser : ofWorkflow;
  }

  addRoot(execution: NewExecution, options: CreateOptions, now: number): StoredRoot {
    this.#created += 1;
    const root = new StoredRoot(execution, options, this.#created, now);
    const links = [this.#roots.add(root), this.#rootsByWorkflow.add(root.workflowId, root)];
    if (root.userId !== undefined) links.push(this.#rootsByUser.add(root.userId, root));
    root.links = links;
    this.#byId.set(root.id, root);
    this.due.place(root, now + (options.dueInMs ?? 0));
    return root;
  }

  addChild(child: StoredChild): void {
    const parent = this.#byId.get(child.parentExecutionId);
    if (parent !== undefined) {
      parent.children ??= new LinkedList();
      parent.children.add(child);
    }
    child.root.descendants ??= [];
    child.root.descendants.push(child);
    this.#byId.set(child.id, child);
  }

  /** Deletes a root with all that belongs to it. */
  delete(root: StoredRoot): void {
    this.due.place(root, Infinity);
    for (const link of root.links) link.remove();
    root.links = [];
    this.#rootsByWorkflow.dropEmpty(root.workflowId);
    if (root.userId !== undefined) this.#rootsByUser.dropEmpty(root.userId);
    for (const child of root.descendants ?? []) this.#byId.delete(child.id);
    this.#byId.delete(root.id);
  }
}
