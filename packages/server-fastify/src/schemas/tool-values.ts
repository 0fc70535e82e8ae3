import { type TUnknown, Type } from '@sinclair/typebox';

/** Arguments of a tool call. Each tool has a schema of its own, so that here they are any JSON. */
export const ToolInput: TUnknown = Type.Unknown({ description: 'Arguments of the tool, JSON of any kind.' });

export const ToolOutput: TUnknown = Type.Unknown({ description: 'What the tool gave, JSON of any kind.' });
