import type { ExecutionMirror } from '@halyard/contracts';
import type { ObjectContext } from '@restatedev/restate-sdk';
import type { IngressClient } from '../ingress-client.ts';
import type { InputsOf, ListsHandlers } from './protocol.ts';

type Inputs = InputsOf<ListsHandlers>;

/** Writes the rows of an execution for the lists, one time after the other. */
export class ListsObject {
  readonly #mirror: ExecutionMirror;
  readonly #client: IngressClient;

  constructor(mirror: ExecutionMirror, client: IngressClient) {
    this.#mirror = mirror;
    this.#client = client;
  }

  async write(ctx: ObjectContext, { rootId }: Inputs['write']): Promise<void> {
    // The row does not pass through the journal of this handler, and each attempt reads it anew.
    await ctx.run('write', async () => {
      const row = await this.#client.call('execution', rootId, 'row', undefined);
      if (row === null) await this.#mirror.remove([rootId]);
      else await this.#mirror.write(row.root, row.revision);
    });
  }
}
