import type { Message } from '@halyard/contracts';

/** What a conversation must hold, as lists of words: `user` and `assistant` messages, texts, and calls with their states. */
export class PlainConversation {
  messages: PlainMessage[] = [];

  get last(): PlainMessage | undefined {
    return this.messages.at(-1);
  }

  /** Calls of the newest answer that wait for somebody. */
  get waiting(): PlainCall[] {
    return this.last?.role === 'assistant' ? this.last.parts.filter(isWaiting) : [];
  }

  lines(): string[] {
    return this.messages.map(lineOf);
  }

  /** Takes over what is stored, where more than one thing may have come of it. */
  adopt(stored: readonly Message[]): void {
    this.messages = stored.map(plainMessage);
  }
}

export interface PlainMessage {
  readonly role: Message['role'];
  parts: PlainPart[];
}

export type PlainPart = string | PlainCall;

export interface PlainCall {
  readonly name: string;
  readonly id: string;
  state: string;
}

/** Where a step begins. */
export const newStep = '|';

function plainMessage({ parts, role }: Message): PlainMessage {
  return {
    role,
    parts: parts.flatMap((part): PlainPart[] => {
      if (part.type === 'step-start') return [newStep];
      if (part.type === 'text') return [part.text];
      return 'toolCallId' in part
        ? [{ name: part.type.replace('tool-', ''), id: part.toolCallId, state: part.state }]
        : [part.type];
    }),
  };
}

/** Steps in which nothing was said are left out: when they are written is a matter of time. */
function lineOf({ parts, role }: PlainMessage): string {
  const words = parts.map((part) => (typeof part === 'string' ? part : `${part.name}#${part.id} ${part.state}`));
  const said = words.filter((word, index) => word !== newStep || (words[index + 1] ?? newStep) !== newStep);
  return `${role}: ${said.join(' ')}`;
}

function isWaiting(part: PlainPart): part is PlainCall {
  if (typeof part === 'string' || part.name === 'look') return false;
  return part.state === 'approval-requested' || part.state === 'input-available';
}
