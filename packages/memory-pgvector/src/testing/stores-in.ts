import { silentLogger, type Storage, type VectorStore } from '@halyard/contracts';
import { createPgVectorStore } from '../pgvector-store.ts';

/** Opens empty stores in the database of a storage, each in its own schema. */
export class StoresIn {
  readonly #storage: () => Storage;
  readonly #opened: VectorStore[] = [];

  constructor(storage: () => Storage) {
    this.#storage = storage;
  }

  readonly open = (dimensions: number): VectorStore => {
    const schema = `store_${this.#opened.length}`;
    const store = createPgVectorStore({ storage: this.#storage(), schema, dimensions, logger: silentLogger });
    this.#opened.push(store);
    return store;
  };

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((store) => store.close()));
  }
}
