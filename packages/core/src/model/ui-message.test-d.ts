import type { Message, MessagePart } from '@halyard/contracts';
import type { UIMessage } from './message.ts';

/** What `useChat` holds is what conversations hold: checked by compiling. Nothing runs. */

export const toStored = (message: UIMessage): Message => message;

/** `tool` is a role of stored messages alone. */
export const fromStored = (message: Message & { readonly role: UIMessage['role'] }): UIMessage => message;

export const toStoredPart = (part: UIMessage['parts'][number]): MessagePart => part;

export const fromStoredPart = (part: MessagePart): UIMessage['parts'][number] => part;

// @ts-expect-error a message of role `tool` is none of the AI SDK's
export const fromTool = (message: Message): UIMessage => message;
