import type { Message } from '@halyard/contracts';
import { isIncomplete, withoutIncompletePart } from '../../../../packages/core/src/model/prompt/cut-step.ts';

/**
 * The expected conversation as lists of words: `user` and `assistant` messages, texts, and calls
 * with their states.
 */
export class PlainConversation {
  messages: PlainMessage[] = [];

  get last(): PlainMessage | undefined {
    return this.messages.at(-1);
  }

  /** Calls of the newest answer that wait for an approval or a result. */
  get waiting(): PlainCall[] {
    return this.last?.role === 'assistant' ? this.last.parts.filter(isWaiting) : [];
  }

  lines(): string[] {
    return this.messages.map(lineOf);
  }

  /** The run of the newest answer has ended, by itself unless it was cut. */
  endAnswer(isIncompleteNow = false): void {
    if (this.last !== undefined) this.last.isIncomplete = isIncompleteNow;
  }

  /** Adopts the stored messages after a turn with several valid results. */
  adopt(stored: readonly Message[]): void {
    this.messages = stored.map(plainMessage);
  }
}

export interface PlainMessage {
  readonly role: Message['role'];
  parts: PlainPart[];
  /** Whether the run of the answer has not ended by itself. */
  isIncomplete?: boolean;
}

export type PlainPart = string | PlainCall;

export interface PlainCall {
  readonly name: string;
  readonly id: string;
  state: string;
}

/** The start of a step. */
export const newStep = '|';

function plainMessage({ parts, role }: Message): PlainMessage {
  return {
    role,
    isIncomplete: isIncomplete(parts),
    parts: withoutIncompletePart(parts).flatMap((part): PlainPart[] => {
      if (part.type === 'step-start') return [newStep];
      if (part.type === 'text') return [part.text];
      return 'toolCallId' in part
        ? [{ name: part.type.replace('tool-', ''), id: part.toolCallId, state: part.state }]
        : [part.type];
    }),
  };
}

/** Steps without content are left out, because it depends on timing when they are written. */
function lineOf({ isIncomplete: isCut = false, parts, role }: PlainMessage): string {
  const words = parts.map((part) => (typeof part === 'string' ? part : `${part.name}#${part.id} ${stateOf(part)}`));
  const withoutEmptySteps = words.filter(
    (word, index) => word !== newStep || (words[index + 1] ?? newStep) !== newStep,
  );
  return `${role}: ${withoutEmptySteps.join(' ')}${isCut ? ' …' : ''}`;
}

/** A call that a failed write has left is ended by the next turn. */
function stateOf({ name, state }: PlainCall): string {
  return name === 'look' && state === 'input-available' ? 'output-error' : state;
}

function isWaiting(part: PlainPart): part is PlainCall {
  if (typeof part === 'string' || part.name === 'look') return false;
  return part.state === 'approval-requested' || part.state === 'input-available';
}
