import { cutMark } from '../../model/prompt/cut-step.ts';
import { missingResultText } from '../../model/prompt/missing-result.ts';
import type { AgentEvent, ToolErrorEvent } from '../agent-event.ts';
import type { ToolCallRecord } from '../run-result.ts';
import { parseArguments } from '../tools/parse-arguments.ts';

interface OpenCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly dynamic: boolean | undefined;
  readonly providerExecuted: boolean | undefined;
  /** JSON text while the model writes it. */
  readonly input: { text: string } | { readonly value: unknown };
}

/**
 * The calls of a run that have no result yet. Those that wait for a person or for the client are
 * not among them.
 */
export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>();
  readonly #isClientSide: (toolName: string) => boolean;

  constructor(isClientSide: (toolName: string) => boolean) {
    this.#isClientSide = isClientSide;
  }

  /** Adds an event of the run. Those of sub-agents belong to the runs of these. */
  add(event: AgentEvent): void {
    if (event.agentId !== undefined) return;
    switch (event.type) {
      case 'tool-input-start': {
        const { dynamic, id: toolCallId, providerExecuted, toolName } = event;
        this.#calls.set(toolCallId, { toolCallId, toolName, dynamic, providerExecuted, input: { text: '' } });
        break;
      }
      case 'tool-input-delta': {
        const input = this.#calls.get(event.id)?.input;
        if (input !== undefined && 'text' in input) input.text += event.delta;
        break;
      }
      case 'tool-call': {
        const isOfClient = event.invalidInput !== true && this.#isClientSide(event.toolName);
        const isWaiting = event.approvalId !== undefined || isOfClient;
        if (isWaiting) this.#calls.delete(event.toolCallId);
        else this.begin(event);
        break;
      }
      case 'tool-result':
        if (event.preliminary !== true) this.#calls.delete(event.toolCallId);
        break;
      case 'tool-error':
        this.#calls.delete(event.toolCallId);
        break;
      default:
    }
  }

  /** Adds a call that runs, also one that has waited for its approval. */
  begin({ dynamic, input, providerExecuted, toolCallId, toolName }: ToolCallRecord & Partial<ToolCallFlags>): void {
    this.#calls.set(toolCallId, { toolCallId, toolName, dynamic, providerExecuted, input: { value: input } });
  }

  /** Says of each call that it has no result, because the run has failed or was stopped. */
  end(): readonly ToolErrorEvent[] {
    const events = [...this.#calls.values()].map(notAnswered);
    this.#calls.clear();
    return events;
  }
}

type ToolCallFlags = Pick<OpenCall, 'dynamic' | 'providerExecuted'>;

function notAnswered({ dynamic, input, providerExecuted, toolCallId, toolName }: OpenCall): ToolErrorEvent {
  return {
    type: 'tool-error',
    toolCallId,
    toolName,
    error: missingResultText,
    // A client without a stored conversation cannot know otherwise that the step was cut.
    ...('text' in input
      ? { input: parseArguments(input.text), invalidInput: true, providerMetadata: cutMark }
      : { input: input.value }),
    ...(dynamic !== undefined && { dynamic }),
    // A provider accepts only results of its own.
    ...(providerExecuted === true && { providerExecuted, providerMetadata: cutMark }),
  };
}
