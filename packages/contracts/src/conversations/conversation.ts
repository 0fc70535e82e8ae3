import type { JsonObject } from '../json.ts';

/** A conversation of one user with an agent, without its messages. */
export interface Conversation {
  readonly id: string;
  /** The owner within the app: the id of the agent, or an id chosen by the app. */
  readonly resourceId: string;
  readonly userId: string;
  /** `''` when there is none. */
  readonly title: string;
  readonly metadata: JsonObject;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Time of the last change, message writes included, in milliseconds since the epoch. */
  readonly updatedAt: number;
}

/** A conversation to be created. The store sets its times. */
export type NewConversation = Omit<Conversation, 'createdAt' | 'updatedAt'>;
