export { openAnthropicWire } from './anthropic-wire.ts';
export { embeddingOf } from './embeddings-api.ts';
export { openGoogleWire } from './google-wire.ts';
export { openOpenaiWire, type OpenaiWire } from './openai-wire.ts';
export type { RecordedRequest } from './recorded-request.ts';
export type {
  AnswerScript,
  FaultScript,
  NoAnswerScript,
  RequestedFormat,
  StatusScript,
  TextScript,
  ToolCallScript,
  UsageScript,
  WireError,
} from './script.ts';
export type { ScriptSource } from './script-queue.ts';
export type { Wire } from './wire.ts';
