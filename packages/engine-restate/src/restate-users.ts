import type { DeletedUserData, ExecutionMirror, UserDataStore, UserRecord } from '@halyard/contracts';
import type { RestateExecutions } from './restate-executions.ts';

/** The data of users in a storage, and their executions in the engine. */
export class RestateUsers implements UserDataStore {
  readonly #users: UserDataStore;
  readonly #executions: RestateExecutions;
  readonly #mirror: ExecutionMirror;

  constructor(users: UserDataStore, executions: RestateExecutions, mirror: ExecutionMirror) {
    this.#users = users;
    this.#executions = executions;
    this.#mirror = mirror;
  }

  async *export(userId: string): AsyncIterable<UserRecord> {
    yield* this.#users.export(userId);
    for (const id of await this.#mirror.rootsOf(userId)) yield* this.#exportTree(id);
  }

  async delete(userId: string): Promise<DeletedUserData> {
    const roots = await this.#mirror.rootsOf(userId);
    await this.#executions.remove(roots);
    const deleted = await this.#users.delete(userId);
    return { ...deleted, executions: deleted.executions + roots.length };
  }

  async *#exportTree(id: string): AsyncIterable<UserRecord> {
    const execution = await this.#executions.find('anyone', id);
    if (execution === undefined) return;
    const events = await this.#executions.events('anyone', id, { after: 0, limit: Infinity });
    yield { type: 'execution', execution, events };
    const filter = { parentExecutionId: id, limit: Infinity, offset: 0 };
    const { executions } = await this.#executions.list('anyone', filter);
    for (const child of executions.toReversed()) yield* this.#exportTree(child.id);
  }
}
