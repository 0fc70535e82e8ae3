import type { LanguageModelV4 } from '@ai-sdk/provider';
import { demoModel } from './demo-model.ts';

/** The model of an example and its description on the start screen. */
export interface ChosenModel {
  readonly model: LanguageModelV4;
  readonly kind: 'openai' | 'anthropic' | 'google' | 'openai-compatible' | 'demo';
  /** Provider and model without secrets: `openai · gpt-6-luna`. */
  readonly label: string;
  /** How to use another model, if there is something to configure. */
  readonly hint?: string;
}

/** The environment variables that are read. Empty ones are treated as unset. */
export type ModelEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Uses the first provider that the environment has a URL or a key for: an OpenAI-compatible server
 * (`OPENAI_BASE_URL`, with `OPENAI_API_KEY` if that is set; `OLLAMA_BASE_URL`, without a key),
 * OpenAI, Anthropic, Google. `HALYARD_MODEL` replaces the default model; with `HALYARD_MODEL=demo`,
 * or without any of these variables, it is the demo model. Only the package of the chosen provider
 * is loaded.
 */
export async function chooseModel(env: ModelEnvironment = process.env): Promise<ChosenModel> {
  const read = (name: string): string | undefined => env[name]?.trim() || undefined;
  const named = read('HALYARD_MODEL');
  if (named === 'demo') return demo();

  const address = read('OPENAI_BASE_URL') ?? read('OLLAMA_BASE_URL');
  const apiKey = read('OPENAI_API_KEY');
  if (address !== undefined)
    return compatible(address, named, read('OPENAI_BASE_URL') === undefined ? undefined : apiKey);
  if (apiKey !== undefined) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return chosen('openai', createOpenAI({ apiKey }), named ?? 'gpt-6-luna');
  }
  const anthropicKey = read('ANTHROPIC_API_KEY');
  if (anthropicKey !== undefined) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return chosen('anthropic', createAnthropic({ apiKey: anthropicKey }), named ?? 'claude-haiku-5-5');
  }
  const googleKey = read('GOOGLE_GENERATIVE_AI_API_KEY');
  if (googleKey !== undefined) {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    return chosen('google', createGoogleGenerativeAI({ apiKey: googleKey }), named ?? 'gemini-3.8-flash');
  }
  return demo();
}

function chosen(kind: ChosenModel['kind'], provider: (id: string) => LanguageModelV4, id: string): ChosenModel {
  return { kind, model: provider(id), label: `${kind} · ${id}` };
}

async function compatible(
  address: string,
  named: string | undefined,
  apiKey: string | undefined,
): Promise<ChosenModel> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const url = new URL(/^https?:\/\//u.test(address) ? address : `http://${address}`);
  // The URL of servers such as Ollama is their root; OpenAI's protocol is under /v1.
  const baseURL = url.pathname === '/' ? new URL('/v1', url).href : url.href.replace(/\/$/u, '');
  const provider = createOpenAICompatible({
    name: 'openai-compatible',
    baseURL,
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...(apiKey !== undefined && { apiKey }),
  });
  const id = named ?? 'llama3.2';
  return {
    kind: 'openai-compatible',
    model: provider(id),
    label: `openai-compatible · ${id} at ${url.host}`,
    ...(named === undefined && { hint: `The server must have ${id}; HALYARD_MODEL names another model.` }),
  };
}

function demo(): ChosenModel {
  return {
    kind: 'demo',
    model: demoModel(),
    label: 'demo model (built in, no network)',
    hint: 'Set OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY or OPENAI_BASE_URL for a real one.',
  };
}
