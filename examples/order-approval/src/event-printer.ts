import type { AgentEvent } from '@halyard/core';
import type { StreamEvent } from './api.ts';
import type { Receipt } from './schemas.ts';
import { inEuros } from './shop.ts';

/**
 * Prints the events of executions as readable lines. An agent's text is printed while it is
 * generated.
 */
export class EventPrinter {
  readonly #write: (text: string) => void;
  /** Whether the agent's message has already been printed. */
  #isMessagePrinted = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  readonly print = (event: StreamEvent): void => {
    switch (event.type) {
      case 'workflow-start':
        this.#isMessagePrinted = false;
        return this.#line('order', event.executionId);
      case 'custom-note':
        return this.#line(event.from, String(event['text']));
      case 'agent-event':
        return this.#agent(event.from, event['event'] as AgentEvent);
      case 'step-retry':
      case 'step-error':
        return this.#line('!', String(event['error']));
      case 'workflow-suspended':
        return this.#line('waiting', (event['suspension'] as { readonly reason: string }).reason);
      case 'workflow-cancelled':
        return this.#line('cancelled', String(event['reason']));
      case 'workflow-complete':
        return this.#receipt(event['output'] as Receipt);
      default:
    }
  };

  #agent(stepId: string, event: AgentEvent): void {
    if (event.type === 'tool-call') this.#line(stepId, `looks up ${event.toolName} ${JSON.stringify(event.input)}`);
    if (event.type === 'text-start') this.#write(formatLine(stepId, '“'));
    if (event.type === 'text-delta') this.#write(toOneLine(event.delta));
    if (event.type === 'text-end') this.#write('”\n');
    this.#isMessagePrinted ||= event.type === 'text-end';
  }

  #receipt(receipt: Receipt): void {
    switch (receipt.status) {
      case 'shipped':
        if (!this.#isMessagePrinted) this.#line('mail', `“${toOneLine(receipt.message)}”`);
        return this.#line('shipped', `${inEuros(receipt.cents)}, ${receipt.carrier}, parcel ${receipt.parcel}`);
      case 'declined':
        return this.#line('declined', `by ${receipt.by}: ${receipt.reason}`);
      case 'out-of-stock':
        return this.#line('no', `${receipt.missing.join(', ')} not available in this quantity`);
      default:
        receipt satisfies never;
    }
  }

  #line(name: string, text: string): void {
    this.#write(`${formatLine(name, text)}\n`);
  }
}

function formatLine(name: string, text: string): string {
  return `    ${name.padEnd(11)}${text}`;
}

function toOneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/gu, ' ');
}
