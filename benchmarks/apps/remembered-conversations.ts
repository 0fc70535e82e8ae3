import { conversationIds, history, historyLength } from './workload.ts';

export type ToMessage<Message> = (role: 'user' | 'assistant', text: string) => Message;

/** What a person writes who has to remember conversations: a map. */
export class RememberedConversations<Message> {
  readonly #toMessage: ToMessage<Message>;
  readonly #conversations: ReadonlyMap<string, Message[]>;

  constructor(toMessage: ToMessage<Message>) {
    this.#toMessage = toMessage;
    this.#conversations = new Map(
      conversationIds.map((id) => [id, history.map(({ role, text }) => toMessage(role, text))]),
    );
  }

  /** The newest messages, and the new one. */
  prompt(id: string, asked: string): Message[] {
    return [...this.#messages(id).slice(-historyLength), this.#toMessage('user', asked)];
  }

  add(id: string, asked: string, answered: string): void {
    this.#messages(id).push(this.#toMessage('user', asked), this.#toMessage('assistant', answered));
  }

  #messages(id: string): Message[] {
    const found = this.#conversations.get(id);
    if (found === undefined) throw new RangeError(`There is no conversation ${id}`);
    return found;
  }
}
