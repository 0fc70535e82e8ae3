import { isHalyardError, type Logger } from '@halyard/contracts';
import type { ConversationWriter } from '../../conversation/writer/conversation-writer.ts';
import type { AgentEvent } from '../agent-event.ts';
import { type AgentHooks, callHook, type HookRun } from '../hooks.ts';
import type { ToolCallRecord } from '../run-result.ts';
import type { AgentJournal } from './journal.ts';
import { OpenCalls } from './open-calls.ts';
import type { Emit } from './run.ts';

/** Publishes the events of a part of a run. */
export interface Publisher {
  readonly emit: Emit;
  /** Calls a hook of the agent, if it has it. Never rejects. */
  callHook(name: keyof AgentHooks, call: HookCall): Promise<void>;
}

type HookCall = (hooks: AgentHooks, run: HookRun) => void | Promise<void> | undefined;

interface RunEventsOptions {
  readonly hooks: AgentHooks;
  readonly hookRun: HookRun;
  readonly journal: AgentJournal;
  readonly logger: Logger;
  readonly writer: ConversationWriter | undefined;
  /** Whether the client runs this tool. */
  readonly isClientSide: (toolName: string) => boolean;
  /** The consumer of the events. */
  readonly emit: Emit;
}

/**
 * The events of a run: to its consumer, to the message that the run writes, and to the hooks of its
 * agent.
 */
export class RunEvents implements Publisher {
  readonly #options: RunEventsOptions;
  readonly #replayed: Publisher;
  readonly #calls: OpenCalls;
  #hasEnded = false;

  constructor(options: RunEventsOptions) {
    this.#options = options;
    const { emit, journal, writer } = options;
    this.#calls = new OpenCalls(options.isClientSide);
    this.#replayed = {
      emit: (event) => {
        this.#calls.add(event);
        writer?.addReplayed(event);
        return journal.repeatsEvents === true ? emit(event) : undefined;
      },
      callHook: async () => {},
    };
  }

  /**
   * Publishes the events of the calls with these keys in the journal. If an earlier attempt of the
   * run has delivered all of them, they only update the message that the run writes, unless the
   * journal repeats them.
   */
  for(keys: readonly string[]): Publisher {
    const { journal } = this.#options;
    return keys.every((key) => journal.isDelivered?.(key) === true) ? this.#replayed : this;
  }

  /**
   * Nothing follows the end of a run: events of sub-agents that are still being aborted are
   * dropped.
   */
  readonly emit: Emit = (event) => {
    if (this.#hasEnded) return undefined;
    const { emit, writer } = this.#options;
    this.#calls.add(event);
    writer?.add(event);
    this.#hasEnded = event.agentId === undefined && ends.has(event.type);
    return emit(event);
  };

  /** Notes that this call runs, although no event says so: it has waited for its approval. */
  beginCall(call: ToolCallRecord): void {
    this.#calls.begin(call);
  }

  /** Emits that the calls without a result have none: the run has failed or was stopped. */
  endCalls(): void {
    const { emit, writer } = this.#options;
    for (const event of this.#calls.end()) {
      // The last write of the run follows.
      writer?.addReplayed(event);
      void emit(event);
    }
  }

  async callHook(name: keyof AgentHooks, call: HookCall): Promise<void> {
    const { hookRun, hooks, logger } = this.#options;
    if (hooks[name] !== undefined) await callHook(logger, name, () => call(hooks, hookRun));
  }
}

const ends: ReadonlySet<AgentEvent['type']> = new Set(['finish', 'abort', 'error']);

/** The message of a failure that clients may read. */
export function errorText(error: unknown): string {
  return isHalyardError(error) && error.kind !== 'internal' ? error.message : 'The run failed';
}
