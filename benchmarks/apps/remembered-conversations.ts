import { conversationIds, history, historyLength } from './workload.ts';

export type ToMessage<Message> = (role: 'user' | 'assistant', text: string) => Message;

/** Conversations in a map, the simplest memory. */
export class RememberedConversations<Message> {
  readonly #toMessage: ToMessage<Message>;
  readonly #conversations: ReadonlyMap<string, Message[]>;

  constructor(toMessage: ToMessage<Message>) {
    this.#toMessage = toMessage;
    this.#conversations = new Map(
      conversationIds.map((id) => [id, history.map(({ role, text }) => toMessage(role, text))]),
    );
  }

  /** The newest messages of the conversation and the new question. */
  prompt(id: string, question: string): Message[] {
    return [...this.#messages(id).slice(-historyLength), this.#toMessage('user', question)];
  }

  add(id: string, question: string, answer: string): void {
    this.#messages(id).push(this.#toMessage('user', question), this.#toMessage('assistant', answer));
  }

  #messages(id: string): Message[] {
    const found = this.#conversations.get(id);
    if (found === undefined) throw new RangeError(`Conversation ${id} does not exist`);
    return found;
  }
}
