import type { OwnedRequest, Reply } from '../../../../packages/server-fastify/src/testing/owned-request.ts';
import type { Kind, Thing } from './things.ts';

/** A request to a route about data of a user. */
export interface OwnershipCase {
  readonly route: string;
  /** The requested data. */
  readonly thing: Kind;
  /** The fields that name it. */
  readonly by: readonly string[];
  readonly request: (thing: Thing) => OwnedRequest;
  /** The status for the owner. */
  readonly own: number;
  /**
   * The status for other users: their reply is identical to that for unknown data, unless it
   * reveals that the id is in use.
   */
  readonly others: number;
  readonly revealsIdInUse?: true;
  /** Each reply contains a new id. */
  readonly hasNewId?: true;
  /** The route refuses fields that its body does not have. */
  readonly refusesFields?: true;
  /**
   * For a route that replies before its work is done: a request whose reply says whether it is
   * done.
   */
  readonly done?: {
    readonly route: string;
    readonly request: (thing: Thing) => OwnedRequest;
    readonly isDone: (reply: Reply) => boolean;
  };
  /** The status without a verified or named user. Default: that of the owner. */
  readonly anonymous?: number;
}
