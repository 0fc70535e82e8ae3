import type { Attributes, PackReader, PackWriter, SpanDetails } from '@halyard/contracts';
import type { JSONValue } from '../../model/model-port.ts';
import { boundedText } from './bounded-json.ts';

/** What the span of a tool call says. */
export class ToolCallDetails implements SpanDetails {
  readonly #toolName: string;
  readonly #toolCallId: string;
  readonly #conversationId: string | undefined;
  readonly #owner: string | undefined;
  #input: unknown = undefined;
  #output: JSONValue | undefined = undefined;

  constructor(toolName: string, toolCallId: string, conversationId: string | undefined, owner: string | undefined) {
    this.#toolName = toolName;
    this.#toolCallId = toolCallId;
    this.#conversationId = conversationId;
    this.#owner = owner;
  }

  asked(input: unknown): void {
    this.#input = input;
  }

  answered(output: JSONValue): void {
    this.#output = output;
  }

  toAttributes(): Attributes {
    return {
      'entity.type': 'tool',
      'entity.id': this.#toolName,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': this.#toolName,
      'gen_ai.tool.call.id': this.#toolCallId,
      'gen_ai.tool.type': 'function',
      ...(this.#conversationId !== undefined && { 'gen_ai.conversation.id': this.#conversationId }),
      ...(this.#owner !== undefined && { 'user.id': this.#owner }),
    };
  }

  toContent(): Attributes | undefined {
    return {
      ...(this.#input !== undefined && { 'gen_ai.tool.call.arguments': boundedText(this.#input) }),
      ...(this.#output !== undefined && { 'gen_ai.tool.call.result': boundedText(this.#output) }),
    };
  }

  pack(to: PackWriter): void {
    to.shared(this.#toolName);
    to.held(this.#toolCallId);
    to.held(this.#conversationId);
    to.held(this.#owner);
    to.value(this.#input);
    to.value(this.#output);
  }

  get unpack(): typeof ToolCallDetails.unpack {
    return ToolCallDetails.unpack;
  }

  static readonly unpack = (from: PackReader): ToolCallDetails => {
    const details = new ToolCallDetails(from.shared(), from.held(), from.held(), from.held());
    details.#input = from.value();
    details.#output = from.value();
    return details;
  };
}
