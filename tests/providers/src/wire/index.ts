export { openAnthropicWire } from './anthropic-wire.ts';
export { openBedrockWire } from './bedrock-wire.ts';
export { openCompatibleWire } from './compatible-wire.ts';
export { embeddingOf } from './embeddings-api.ts';
export { openGoogleWire } from './google-wire.ts';
export { openOpenaiWire, type OpenaiWire } from './openai-wire.ts';
export type { RecordedRequest } from './recorded-request.ts';
export type {
  ReplyScript,
  FaultScript,
  NoReplyScript,
  RequestedFormat,
  StatusScript,
  SourceScript,
  ToolCallScript,
  UsageScript,
  WebSearchScript,
  WireError,
} from './script.ts';
export type { ScriptSource } from './script-queue.ts';
export type { Wire } from './wire.ts';
