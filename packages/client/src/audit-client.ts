import type { CallOptions } from './client-options.ts';
import type { Connection } from './connection.ts';
import { StreamFailedError } from './errors.ts';
import { readJsonEvents } from './read-events.ts';
import { received } from './received.ts';
import type { components, operations } from './schema.ts';

export type AuditRecord = components['schemas']['AuditRecord'];
type Query<Operation extends 'listAudit' | 'exportAudit'> = NonNullable<operations[Operation]['parameters']['query']>;

/** Who did what: for the console key, and for console roles of the level `owner`. */
export class AuditClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * The records that match, newest first. `nextCursor` continues the list as `after`; null on the
   * last page. @throws ApiError, ConnectionError
   */
  async list({ signal, ...query }: Partial<Query<'listAudit'>> & CallOptions = {}): Promise<{
    readonly records: readonly AuditRecord[];
    readonly nextCursor: string | null;
  }> {
    const { data } = await this.#connection.api.GET('/audit', { params: { query }, signal });
    return received(data).data;
  }

  /**
   * All records that match, newest first, as they are read. @throws StreamFailedError when the export
   * stops before its end; ApiError, ConnectionError
   */
  async *export({ signal, ...query }: Query<'exportAudit'> & CallOptions = {}): AsyncGenerator<
    AuditRecord,
    void,
    undefined
  > {
    const { response } = await this.#connection.api.GET('/audit/export', {
      params: { query },
      parseAs: 'stream',
      signal,
    });
    for await (const event of readJsonEvents<AuditRecord | { readonly type: 'error'; readonly error: string }>(
      response,
      signal,
    )) {
      if ('type' in event) throw new StreamFailedError(event.error);
      yield event;
    }
  }
}
