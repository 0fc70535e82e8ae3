import type { Attributes, SpanDetails } from '@halyard/contracts';
import type { JSONValue } from '../model/model-port.ts';
import { boundedText } from '../telemetry/bounded-json.ts';
import { estimatedBytes } from '../telemetry/estimated-bytes.ts';
import { userAttribute } from '../telemetry/user-attribute.ts';
import type { ToolContext } from './tool.ts';

/** What the span of a tool call says. */
export class ToolCallDetails implements SpanDetails {
  readonly #toolName: string;
  readonly #toolCallId: string;
  readonly #conversationId: string | undefined;
  readonly #owner: string | undefined;
  #input: unknown = undefined;
  #output: JSONValue | undefined = undefined;

  constructor(
    toolName: string,
    {
      conversationId,
      toolCallId,
      user,
      userId,
    }: Pick<ToolContext, 'conversationId' | 'toolCallId' | 'user' | 'userId'>,
  ) {
    this.#toolName = toolName;
    this.#toolCallId = toolCallId;
    this.#conversationId = conversationId;
    this.#owner = userAttribute(user, userId);
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

  get contentBytes(): number {
    return estimatedBytes(this.#input) + estimatedBytes(this.#output);
  }
}
