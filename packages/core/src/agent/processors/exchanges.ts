import type { StoredMessage } from '@halyard/contracts';

/** A question with everything up to the next one. */
export type Exchange = readonly StoredMessage[];

/**
 * What comes before the first question is an exchange of its own. A question without an answer is
 * one, too: a client may ask in vain any number of times.
 */
export function exchangesOf(messages: readonly StoredMessage[]): readonly Exchange[] {
  const exchanges: StoredMessage[][] = [];
  for (const message of messages) {
    if (message.role === 'user' || exchanges.length === 0) exchanges.push([message]);
    else exchanges.at(-1)?.push(message);
  }
  return exchanges;
}
