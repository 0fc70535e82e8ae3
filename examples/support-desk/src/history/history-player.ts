import type { Storage } from '@halyard/contracts';
import { type Agent, type Memory, type ToolCallResult, WorkflowRuntime } from '@halyard/core';
import type { AgentServices } from '@halyard/core/server';
import type { FixedClock } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import type { AgentId } from '../agents.ts';
import { createDesk } from '../desk.ts';
import { HistoryModels } from './history-model.ts';
import { HistoryShop } from './history-shop.ts';
import type { Random } from './random.ts';
import type { HistoryEvent, Script } from './script.ts';

type EventOf<Kind extends HistoryEvent['kind']> = Extract<HistoryEvent, { kind: Kind }>;

/** The front desk's judgement of a mail. */
const SortedMail = Type.Object({
  topic: Type.Union(['delivery', 'refund', 'product', 'invoice', 'other'].map((topic) => Type.Literal(topic))),
  urgency: Type.Union(['low', 'normal', 'high'].map((urgency) => Type.Literal(urgency))),
  orderId: Type.String(),
});

export interface HistoryPlayerOptions {
  readonly storage: Storage;
  readonly memory: Memory;
  readonly services: Partial<AgentServices>;
  readonly clock: FixedClock;
  readonly random: Random;
}

/** Runs the agents and workflows of the desk as the events of the history tell. */
export class HistoryPlayer {
  readonly #options: HistoryPlayerOptions;
  readonly #models: HistoryModels;
  readonly #shop: HistoryShop;
  readonly #agents: Readonly<Record<AgentId, Agent>>;
  readonly #runtime: WorkflowRuntime;
  /** By conversation: the calls that wait for a decision. */
  readonly #waiting = new Map<string, readonly ToolCallResult[]>();

  constructor(options: HistoryPlayerOptions) {
    const { clock, random, services, storage } = options;
    this.#options = options;
    this.#models = new HistoryModels(clock, random);
    this.#shop = new HistoryShop(clock, random);
    const { agents, workflows } = createDesk({
      storage,
      shop: this.#shop,
      modelOf: (agent) => () => this.#models.modelOf(agent),
      startRefund: async (request, userId) => {
        // One run at a time, because there is one clock.
        const { executionId } = await this.#runtime.execute('refund', request, {
          userId,
          executionId: this.#models.refundId,
        });
        return executionId;
      },
    });
    this.#agents = agents;
    this.#runtime = new WorkflowRuntime({ workflows, storage, services });
    // Without timers: they would measure the time of today.
    this.#runtime.startByHand();
  }

  async play(event: HistoryEvent): Promise<void> {
    const { clock, memory } = this.#options;
    clock.jump(event.at - clock.now());
    this.#models.play(event.script, { isMail: event.kind === 'mail' });
    this.#shop.failWith(event.script.shopFailure);
    try {
      await this.#run(event);
    } catch (error) {
      // A failed run is part of the history.
      if (!fails(event.script)) throw error;
    }
    await memory.flush();
  }

  async stop(): Promise<void> {
    await this.#runtime.stop(10_000);
  }

  async #run(event: HistoryEvent): Promise<void> {
    switch (event.kind) {
      case 'turn':
        return this.#answer(event);
      case 'mail':
        return this.#sort(event);
      case 'refund':
        return this.#refund(event);
      case 'decision':
        return this.#decide(event);
      case 'schedule':
        return this.#tick(event);
      default:
        return event satisfies never;
    }
  }

  async #answer({ conversationId, customer: { id: userId }, script, turn: { agent, question } }: EventOf<'turn'>) {
    const { memory, services } = this.#options;
    const input =
      typeof question === 'string' ? question : [answerTo(this.#waiting.get(conversationId) ?? [], question)];
    const options = { userId, conversationId, operation: 'chat', services };
    const { toolCalls } = await this.#agents[agent].generateText(input, options);
    this.#waiting.set(
      conversationId,
      toolCalls.filter(({ approvalId }) => approvalId !== undefined),
    );
    if (script.notes === undefined) return;
    await memory.writeWorkingMemory({ user: userId }, { conversationId, mode: 'append', content: script.notes });
  }

  async #sort({ customer: { id: userId }, text }: EventOf<'mail'>): Promise<void> {
    const { services } = this.#options;
    await this.#agents['front-desk'].generateObject(text, { schema: SortedMail, userId, services });
  }

  async #refund({ customer, orderId, reason, script }: EventOf<'refund'>): Promise<void> {
    const request = { orderId, reason, customer: customer.name };
    await this.#runtime.execute('refund', request, { executionId: script.refund, userId: customer.id });
  }

  async #decide({ decision, script: { refund: executionId = '' } }: EventOf<'decision'>): Promise<void> {
    const key = { owner: 'anyone', workflowId: 'refund', executionId } as const;
    // Small refunds have not waited for anybody.
    const { suspensions } = await this.#runtime.get(key);
    const suspensionId = suspensions[0]?.id;
    if (suspensionId === undefined) return;
    await this.#runtime.resume(key, { suspensionId, resumeData: decision, resumedBy: decision.by });
    await this.#runtime.wait(key);
  }

  async #tick({ at, executionId, name, workflowId }: EventOf<'schedule'>): Promise<void> {
    const metadata = { schedule: name, scheduledFor: new Date(at).toISOString() };
    await this.#runtime.execute(workflowId, {}, { executionId, metadata });
  }
}

function fails({ answers }: Script): boolean {
  return Object.values(answers).some((list) => list.some(({ failure }) => failure !== undefined));
}

function answerTo(
  calls: readonly ToolCallResult[],
  decision: { readonly approved: boolean; readonly reason?: string },
) {
  return {
    role: 'tool' as const,
    content: calls.map(({ approvalId = '', signature }) => ({
      type: 'tool-approval-response' as const,
      approvalId,
      signature,
      ...decision,
    })),
  };
}
