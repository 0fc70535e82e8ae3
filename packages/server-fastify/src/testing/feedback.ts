import type { Storage } from '@halyard/contracts';
import { Agent, createMemory } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { userOf } from './memory.ts';
import { json, serve, type Served, type ServedOptions } from './serve.ts';

/** A server with an agent that replies, whose requests name their user in `x-user`. */
export async function serveDesk(storage: Storage, options: ServedOptions = {}): Promise<Served> {
  const desk = new Agent({ id: 'desk', model: scriptedModel('At the harbour.', 'On Monday.', 'Yes.') });
  return serve([], { agents: [desk], storage, memory: createMemory({ storage }), userOf, ...options });
}

export interface Answered {
  readonly status: number;
  readonly data: unknown;
  readonly error: string | undefined;
  readonly warnings: readonly string[] | undefined;
}

/** Requests of one user, or without one of an operator. */
export class Person {
  readonly #origin: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ origin }: Served, user?: string) {
    this.#origin = origin;
    this.#headers = user === undefined ? {} : { 'x-user': user };
  }

  /** Asks in a conversation. @returns the id of the reply. */
  async ask(conversationId: string, input: string): Promise<string> {
    await this.send('/agents/desk/text', { input, options: { conversationId } });
    const { data } = await this.send(`/api/memory/conversations/${conversationId}/messages?agentId=desk`);
    const { messages } = data as { readonly messages: readonly { readonly id: string }[] };
    return messages.at(-1)?.id ?? '';
  }

  async rate(conversationId: string, messageId: string, rating: string | null, more: object = {}): Promise<Answered> {
    return this.send('/agents/desk/feedback', { conversationId, messageId, rating, ...more });
  }

  /** The questions of the traces in which somebody gave this rating, and all their ratings. */
  async rated(feedback: string): Promise<readonly unknown[]> {
    const { data } = await this.send(`/observability/traces?feedback=${feedback}`);
    const { traces } = data as { readonly traces: readonly { traceId: string; feedback: unknown }[] };
    return traces.map((trace) => trace.feedback);
  }

  /** The ratings that a page of messages contains, by the ids of the replies. */
  async read(conversationId: string): Promise<Readonly<Record<string, unknown>>> {
    const path = `/api/memory/conversations/${conversationId}/messages?agentId=desk&includeFeedback=true`;
    const { data } = await this.send(path);
    const { messages } = data as { readonly messages: readonly { id: string; feedback?: unknown }[] };
    return Object.fromEntries(messages.flatMap(({ feedback, id }) => (feedback === undefined ? [] : [[id, feedback]])));
  }

  /** The feedback among the spans of all traces. */
  async given(): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { data } = await this.send('/observability/traces');
    const { traces } = data as { readonly traces: readonly { traceId: string }[] };
    const found = await Promise.all(traces.map(({ traceId }) => this.send(`/observability/traces/${traceId}`)));
    return found
      .flatMap(
        (trace) => (trace.data as { spans: { name: string; attributes: Readonly<Record<string, unknown>> }[] }).spans,
      )
      .filter(({ name }) => name === 'feedback')
      .map(({ attributes }) => attributes);
  }

  async send(path: string, body?: unknown): Promise<Answered> {
    const { headers, ...init } = body === undefined ? { headers: {} } : json(body);
    const response = await fetch(`${this.#origin}${path}`, { ...init, headers: { ...headers, ...this.#headers } });
    return { status: response.status, ...((await response.json()) as Omit<Answered, 'status'>) };
  }
}
