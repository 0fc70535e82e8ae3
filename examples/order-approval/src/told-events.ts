import type { AgentEvent } from '@halyard/core';
import type { StreamEvent } from './api.ts';
import type { Receipt } from './schemas.ts';
import { inEuros } from './shop.ts';

/** Tells the events of executions in lines that people like to read; what an agent writes appears as it is written. */
export class ToldEvents {
  readonly #write: (text: string) => void;
  /** What an agent wrote was read already. */
  #hasRead = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  readonly tell = (event: StreamEvent): void => {
    switch (event.type) {
      case 'workflow-start':
        this.#hasRead = false;
        return this.#line('order', event.executionId);
      case 'custom-note':
        return this.#line(event.from, String(event['text']));
      case 'agent-event':
        return this.#agent(event.from, event['event'] as AgentEvent);
      case 'step-retry':
      case 'step-error':
        return this.#line('!', String(event['error']));
      case 'workflow-suspended':
        return this.#line('waits', (event['suspension'] as { readonly reason: string }).reason);
      case 'workflow-cancelled':
        return this.#line('cancelled', String(event['reason']));
      case 'workflow-complete':
        return this.#receipt(event['output'] as Receipt);
      default:
    }
  };

  #agent(stepId: string, event: AgentEvent): void {
    if (event.type === 'tool-call') this.#line(stepId, `looks up ${event.toolName} ${JSON.stringify(event.input)}`);
    if (event.type === 'text-start') this.#write(lineOf(stepId, '“'));
    if (event.type === 'text-delta') this.#write(onOneLine(event.delta));
    if (event.type === 'text-end') this.#write('”\n');
    this.#hasRead ||= event.type === 'text-end';
  }

  #receipt(receipt: Receipt): void {
    switch (receipt.status) {
      case 'shipped':
        if (!this.#hasRead) this.#line('mail', `“${onOneLine(receipt.message)}”`);
        return this.#line('shipped', `${inEuros(receipt.cents)}, ${receipt.carrier}, parcel ${receipt.parcel}`);
      case 'declined':
        return this.#line('declined', `by ${receipt.by}: ${receipt.reason}`);
      case 'out-of-stock':
        return this.#line('no', `${receipt.missing.join(', ')} cannot be had in that number`);
      default:
        receipt satisfies never;
    }
  }

  #line(name: string, text: string): void {
    this.#write(`${lineOf(name, text)}\n`);
  }
}

function lineOf(name: string, text: string): string {
  return `    ${name.padEnd(11)}${text}`;
}

function onOneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/gu, ' ');
}
