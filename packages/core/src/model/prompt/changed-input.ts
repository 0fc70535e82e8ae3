import type { ToolSet } from 'ai';
import type { InputUIMessage, ModelMessage } from '../messages/message.ts';
import type { ToolResultOutput } from '../providers/model-port.ts';
import type { ToolModelOutput } from './tool-output.ts';

/**
 * A tool output for the model, with the arguments that a person gave in place of those of the
 * model. The call itself stays as the model wrote it: its provider may have signed or stored it.
 */
export function withChangedInput(output: ToolResultOutput, input: unknown): ToolResultOutput;
export function withChangedInput(output: ToolModelOutput, input: unknown): ToolModelOutput;
export function withChangedInput(output: ToolModelOutput, input: unknown): ToolModelOutput {
  const note = `A person approved this call with other arguments: ${JSON.stringify(input)}`;
  switch (output.type) {
    case 'text':
    case 'error-text':
      return { ...output, value: `${note}\n\n${output.value}` };
    case 'json':
      return { ...output, type: 'text', value: `${note}\n\n${JSON.stringify(output.value)}` };
    case 'error-json':
      return { ...output, type: 'error-text', value: `${note}\n\n${JSON.stringify(output.value)}` };
    case 'content':
      return { ...output, value: [{ type: 'text', text: note }, ...output.value] };
    case 'execution-denied':
      return output;
  }
}

/** The arguments of calls of a message that a person gave in place of those of the model. */
export class ChangedInputs {
  readonly #byCall = new Map<string, unknown>();
  readonly #byApproval = new Map<string, unknown>();

  constructor({ parts }: InputUIMessage) {
    for (const part of parts) {
      if (!('toolCallId' in part) || part.providerExecuted === true || !('approval' in part)) continue;
      const { id, input, approved }: { id?: string; approved?: boolean; input?: unknown } = part.approval ?? {};
      // Of several calls with one id, the last counts.
      this.#byCall.delete(part.toolCallId);
      if (approved !== true || id === undefined || input === undefined) continue;
      this.#byCall.set(part.toolCallId, input);
      this.#byApproval.set(id, input);
    }
  }

  /** Outputs are converted for the model with the arguments that the tool has received. */
  forTools(tools: ToolSet): ToolSet {
    if (this.#byCall.size === 0) return tools;
    return Object.fromEntries(
      Object.entries(tools).map(([name, { toModelOutput, ...tool }]) => [
        name,
        {
          ...tool,
          toModelOutput: (given: { toolCallId: string; input: unknown; output: unknown }) =>
            toModelOutput?.({ ...given, input: this.#byCall.get(given.toolCallId) ?? given.input }),
        },
      ]),
    ) as ToolSet;
  }

  /** Adds the arguments, which the conversion of the AI SDK leaves out, to responses and results. */
  addTo(messages: readonly ModelMessage[]): readonly ModelMessage[] {
    if (this.#byApproval.size === 0) return messages;
    return messages.map((message) => {
      if (message.role !== 'tool') return message;
      const content = message.content.map((part) => {
        if (part.type === 'tool-approval-response') {
          const input = this.#byApproval.get(part.approvalId);
          return input === undefined ? part : { ...part, input };
        }
        const input = this.#byCall.get(part.toolCallId);
        return input === undefined ? part : { ...part, output: withChangedInput(part.output, input) };
      });
      return { ...message, content };
    });
  }
}
