import type { Owner, StreamPlace } from '@halyard/contracts';

/** Where a caller finds an answer: an agent, and a conversation that the caller may read. */
export interface AnswerPlace extends StreamPlace {
  readonly owner: Owner;
}
