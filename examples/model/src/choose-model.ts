import type { LanguageModelV4 } from '@ai-sdk/provider';
import { demoModel } from './demo-model.ts';

/** The model an example talks to, and what its start screen says of it. */
export interface ChosenModel {
  readonly model: LanguageModelV4;
  readonly kind: 'openai' | 'anthropic' | 'google' | 'openai-compatible' | 'demo';
  readonly label: string;
  readonly hint?: string;
}

/**
 * The provider that the environment has a key or an address for, in this order: an OpenAI-compatible server (`OPENAI_BASE_URL` or
 * `OLLAMA_BASE_URL`), OpenAI, Anthropic, Google. `HALYARD_MODEL` names another model than the usual one. Without any: the demo model.
 */
export async function chooseModel(env: NodeJS.ProcessEnv = process.env): Promise<ChosenModel> {
  const named = (usual: string): string => env['HALYARD_MODEL'] ?? usual;
  const baseURL = env['OPENAI_BASE_URL'] ?? env['OLLAMA_BASE_URL'];
  if (baseURL) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const id = named('llama3.2');
    const apiKey = env['OPENAI_API_KEY'];
    const provider = createOpenAICompatible({ name: 'local', baseURL, ...(apiKey && { apiKey }) });
    return { kind: 'openai-compatible', model: provider(id), label: `${id} at ${baseURL}` };
  }
  if (env['OPENAI_API_KEY']) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    const id = named('gpt-5-mini');
    return { kind: 'openai', model: createOpenAI({ apiKey: env['OPENAI_API_KEY'] })(id), label: `OpenAI · ${id}` };
  }
  if (env['ANTHROPIC_API_KEY']) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    const id = named('claude-haiku-4-5');
    return {
      kind: 'anthropic',
      model: createAnthropic({ apiKey: env['ANTHROPIC_API_KEY'] })(id),
      label: `Anthropic · ${id}`,
    };
  }
  if (env['GOOGLE_GENERATIVE_AI_API_KEY']) {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    const id = named('gemini-2.5-flash');
    const provider = createGoogleGenerativeAI({ apiKey: env['GOOGLE_GENERATIVE_AI_API_KEY'] });
    return { kind: 'google', model: provider(id), label: `Google · ${id}` };
  }
  return {
    kind: 'demo',
    model: demoModel(),
    label: 'demo model (built in, no network)',
    hint: 'Set OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENAI_BASE_URL for a real one.',
  };
}
