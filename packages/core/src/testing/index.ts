export { collectEvents } from './collect-events.ts';
export { lockStreamKey } from '../conversation/lock/conversation-lock.ts';
export { fixedClock, type FixedClock } from './fixed-clock.ts';
export { type KeywordEmbedding, keywordEmbedding, type KeywordEmbeddingOptions } from './keyword-embedding.ts';
export {
  createScriptedModel,
  type ScriptedModel,
  scriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
} from './scripted-model.ts';
export { sequentialIds } from './sequential-ids.ts';
export { testRuntime, type TestRuntime, type TestRuntimeOptions, type TestTime } from './test-runtime.ts';
export { silentLogger } from '@halyard/contracts';
