import type { DeletedUserData, Storage, UserDataStore, UserRecord } from '@halyard/contracts';

/** The data of users in several storages. */
export class ShardedUserDataStore implements UserDataStore {
  readonly #storages: readonly Storage[];

  constructor(storages: readonly Storage[]) {
    this.#storages = storages;
  }

  async *export(userId: string): AsyncIterable<UserRecord> {
    for (const { users } of this.#storages) yield* users.export(userId);
  }

  /** Call it again when it fails: some storages have then deleted their part. */
  async delete(userId: string): Promise<DeletedUserData> {
    const deleted = await Promise.all(this.#storages.map(({ users }) => users.delete(userId)));
    const sumOf = (count: keyof DeletedUserData): number => deleted.reduce((sum, one) => sum + one[count], 0);
    return { conversations: sumOf('conversations'), messages: sumOf('messages'), executions: sumOf('executions') };
  }
}
