import type { JsonObject } from './json.ts';

/** A conversation of one user with an agent; its messages are read apart. */
export interface Conversation {
  readonly id: string;
  /** What it belongs to: the agent's id, or what the app chose. */
  readonly resourceId: string;
  readonly userId: string;
  /** `''` where it has none. */
  readonly title: string;
  readonly metadata: JsonObject;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** When it was changed, or a message written, for the last time. */
  readonly updatedAt: number;
}

/** A conversation as it is asked for; the store gives it its times. */
export type NewConversation = Omit<Conversation, 'createdAt' | 'updatedAt'>;
