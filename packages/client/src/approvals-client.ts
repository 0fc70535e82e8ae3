import type { AcceptsUndefined } from './accepts-undefined.ts';
import { Channel, type ChannelMessages, type ChannelOptions } from './channel.ts';
import type { CallOptions } from './client-options.ts';
import type { Connection } from './connection.ts';
import { received } from './received.ts';
import type { components } from './schema.ts';

type Schemas = components['schemas'];

export type Approval = Schemas['Approval'];
/** `executionId` and `conversationId` are those of the request. */
export type ApprovalAnswer = AcceptsUndefined<
  Omit<Schemas['ApprovalAnswer'], 'conversationId' | 'executionId'> &
    Partial<Pick<Approval, 'conversationId' | 'executionId'>>
>;

/** The approval of later calls. */
export type ApprovalGrant = Schemas['ApprovalGrant'];

/**
 * Requests that wait for a person, in executions and in conversations: those that the user of the
 * token may answer, or with the console key all.
 */
export class ApprovalsClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * The requests, newest first. `hasMore`: older ones wait, too, and are listed when these have a
   * response. @throws ApiError, ConnectionError
   */
  async list({ signal }: CallOptions = {}): Promise<{
    readonly approvals: readonly Approval[];
    readonly hasMore: boolean;
  }> {
    const { api } = this.#connection;
    const { data } = (await this.#connection.hasConsoleKey())
      ? await api.GET('/approvals', { signal })
      : await api.GET('/api/approvals', { signal });
    return received(data).data;
  }

  /**
   * Announcements of new requests, and of those that no longer wait; with a user's token also when
   * somebody else settles a request of an own conversation. Read the list after each
   * `CONNECTION_SUCCESS`.
   */
  follow(options: Omit<ChannelOptions, 'query'> = {}): Channel<ChannelMessages['/ws/approvals']> {
    return new Channel(this.#connection, '/ws/approvals', options);
  }

  /**
   * Responds to a request. @throws NotFoundError (`APPROVAL_NOT_FOUND`) when another response came
   * first; ApiError, ConnectionError
   */
  async answer(
    { conversationId, executionId, ...answer }: ApprovalAnswer,
    { signal }: CallOptions = {},
  ): Promise<void> {
    const { api } = this.#connection;
    const body = {
      ...answer,
      ...(typeof executionId === 'string' && { executionId }),
      ...(typeof conversationId === 'string' && typeof executionId !== 'string' && { conversationId }),
    };
    if (await this.#connection.hasConsoleKey()) await api.POST('/approvals/answer', { body, signal });
    else await api.POST('/api/approvals/answer', { body, signal });
  }

  /**
   * The approvals of later calls, newest first: those that the user of the token gave or that are for
   * the user's runs, or with the console key all. @throws ApiError, ConnectionError
   */
  async grants({ signal }: CallOptions = {}): Promise<{
    readonly grants: readonly ApprovalGrant[];
    readonly hasMore: boolean;
  }> {
    const { api } = this.#connection;
    const { data } = (await this.#connection.hasConsoleKey())
      ? await api.GET('/approvals/grants', { signal })
      : await api.GET('/api/approvals/grants', { signal });
    return received(data).data;
  }

  /**
   * Revokes the approval of later calls: the next call asks again. @throws NotFoundError
   * (`APPROVAL_NOT_FOUND`); ApiError, ConnectionError
   */
  async revoke({ id: grantId }: Pick<ApprovalGrant, 'id'>, { signal }: CallOptions = {}): Promise<void> {
    const { api } = this.#connection;
    const request = { params: { path: { grantId } }, signal };
    if (await this.#connection.hasConsoleKey()) await api.DELETE('/approvals/grants/{grantId}', request);
    else await api.DELETE('/api/approvals/grants/{grantId}', request);
  }
}
