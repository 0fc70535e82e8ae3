import type { StoredMessage } from '@halyard/contracts';

/** A question with everything up to the next one. */
export type Exchange = readonly StoredMessage[];

/** What comes before the first question is an exchange of its own. */
export function exchangesOf(messages: readonly StoredMessage[]): readonly Exchange[] {
  const exchanges: StoredMessage[][] = [];
  let before: StoredMessage | undefined;
  for (const message of messages) {
    const isNext = message.role === 'user' && before?.role !== 'user';
    if (isNext || exchanges.length === 0) exchanges.push([message]);
    else exchanges.at(-1)?.push(message);
    before = message;
  }
  return exchanges;
}
