import type { CallOptions } from './client-options.ts';
import type { Connection } from './connection.ts';
import { received } from './received.ts';
import type { components } from './schema.ts';

type Schemas = components['schemas'];

export type Approval = Schemas['Approval'];
export type ApprovalAnswer = Schemas['ApprovalAnswer'];

/**
 * Requests that wait for a person, in executions and in conversations. With access control, this
 * needs the console key.
 */
export class ApprovalsClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The requests, newest first. @throws ApiError, ConnectionError */
  async list({ signal }: CallOptions = {}): Promise<readonly Approval[]> {
    const { data } = await this.#connection.api.GET('/approvals', { signal });
    return received(data).data.approvals;
  }

  /**
   * Responds to a request. @throws NotFoundError (`APPROVAL_NOT_FOUND`) when another response came
   * first; ApiError, ConnectionError
   */
  async answer(answer: ApprovalAnswer, { signal }: CallOptions = {}): Promise<void> {
    await this.#connection.api.POST('/approvals/answer', { body: answer, signal });
  }
}
