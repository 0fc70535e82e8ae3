import type { StoredMessage } from '@halyard/contracts';

/** A question with everything up to the next one. */
export type Exchange = readonly StoredMessage[];

/**
 * Messages before the first question are an exchange of their own. A question without a reply also
 * counts as an exchange, however often it is repeated.
 */
export function splitIntoExchanges(messages: readonly StoredMessage[]): readonly Exchange[] {
  const exchanges: StoredMessage[][] = [];
  for (const message of messages) {
    if (message.role === 'user' || exchanges.length === 0) exchanges.push([message]);
    else exchanges.at(-1)?.push(message);
  }
  return exchanges;
}
