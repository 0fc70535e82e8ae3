import { type Static, Type } from '@sinclair/typebox';
import { FinishReason } from './finish-reason.ts';
import { ToolInput, ToolOutput } from './tool-values.ts';
import { Usage } from './usage.ts';

const call = { toolCallId: Type.String(), toolName: Type.String(), input: ToolInput };

/** A tool that the model asked for. `approvalId` and `signature` where a person must agree first. */
const ToolCall = Type.Object(
  {
    ...call,
    approvalId: Type.Optional(Type.String()),
    signature: Type.Optional(Type.String()),
  },
  { $id: 'ToolCall' },
);

const ToolResult = Type.Object({ ...call, output: ToolOutput }, { $id: 'ToolResult' });

/** What a run came to, over all its steps. */
export const TextResult = Type.Object(
  {
    text: Type.String(),
    usage: Usage,
    finishReason: FinishReason,
    toolCalls: Type.Array(ToolCall),
    toolResults: Type.Array(ToolResult),
    conversationId: Type.Optional(Type.String()),
  },
  { $id: 'TextResult' },
);
export type TextResult = Static<typeof TextResult>;
