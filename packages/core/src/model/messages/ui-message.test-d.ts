import type { Message, MessagePart } from '@halyard/contracts';
import type { UIMessage } from './message.ts';

/** The messages of `useChat` are those of conversations. The compiler checks this; nothing runs. */

export const toStored = (message: UIMessage): Message => message;

/** Only stored messages have the role `tool`. */
export const fromStored = (message: Message & { readonly role: UIMessage['role'] }): UIMessage => message;

export const toStoredPart = (part: UIMessage['parts'][number]): MessagePart => part;

export const fromStoredPart = (part: MessagePart): UIMessage['parts'][number] => part;

// @ts-expect-error the AI SDK has no messages of role `tool`
export const fromTool = (message: Message): UIMessage => message;
