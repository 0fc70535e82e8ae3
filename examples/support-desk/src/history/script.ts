import type { AgentId } from '../agents.ts';

/** The output of a model in one call. */
export interface Answer {
  readonly text?: string;
  readonly calls?: readonly { readonly toolName: string; readonly input: Readonly<Record<string, unknown>> }[];
  /** The call fails. */
  readonly failure?: ModelFailure;
}

/** How providers fail. */
export type ModelFailure = 'overloaded' | 'rate-limited' | 'timed-out' | 'filtered';

/** Parts of the profile of a customer. */
export interface Notes {
  readonly [field: string]: string | number | readonly string[];
}

/**
 * The events of one run: the models' outputs, by agent, in their order, and the refusals of the
 * shop's systems.
 */
export interface Script {
  readonly answers: Readonly<Partial<Record<AgentId, readonly Answer[]>>>;
  /** The next call of the shop fails with this message. */
  readonly shopFailure?: string;
  /** The id of the refund that this run starts or continues. */
  readonly refund?: string;
  /** New notes about the customer. */
  readonly notes?: Notes;
  /** The title of the conversation, if this run begins it. */
  readonly title?: string;
}

/** A question of a customer, or a colleague's decision about the call of a tool that waits. */
export interface Turn {
  readonly agent: AgentId;
  readonly question: string | { readonly approved: boolean; readonly reason?: string };
  readonly script: Script;
}

export interface Customer {
  /** The id of the user. */
  readonly id: string;
  readonly name: string;
  readonly city: string;
}

/** A decision about a refund. */
export interface Decision {
  readonly approved: boolean;
  readonly by: string;
  readonly note?: string;
}

/** Something that happened at this time, in milliseconds since the epoch. */
export type HistoryEvent = { readonly at: number; readonly script: Script } & (
  | { readonly kind: 'turn'; readonly conversationId: string; readonly customer: Customer; readonly turn: Turn }
  /** A mail that the front desk sorts. It belongs to no conversation. */
  | { readonly kind: 'mail'; readonly customer: Customer; readonly text: string }
  | {
      readonly kind: 'refund';
      readonly customer: Customer;
      readonly orderId: string;
      readonly reason: string;
    }
  | { readonly kind: 'decision'; readonly decision: Decision }
  | { readonly kind: 'schedule'; readonly workflowId: string; readonly name: string; readonly executionId: string }
);
