/**
 * Whether a provider has refused a prompt because it has more tokens than the model reads. There is
 * no status for it: some providers send a code, others only a sentence, and servers that are
 * compatible with another API have different statuses. A limit of tokens per minute is not meant:
 * its status is 429.
 */
export function isPromptTooLong(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, data, message, responseBody, statusCode }: ReportedError = error;
  if (statusCode === 429) return false;
  return (
    isNamed(code) || isNamed(message) || isNamed(responseBody) || (data !== undefined && isNamed(JSON.stringify(data)))
  );
}

/** The fields of the AI SDK's errors, and of errors in streams, that are used here. */
interface ReportedError {
  readonly message?: unknown;
  readonly statusCode?: unknown;
  readonly code?: unknown;
  readonly data?: unknown;
  readonly responseBody?: unknown;
}

const sentences = [
  // OpenAI, Azure, Groq and others.
  'context_length_exceeded',
  // Anthropic, Bedrock, Fireworks.
  'prompt is too long',
  'input is too long',
  'exceeds? (the )?context limit',
  // Google.
  'input token count .*exceeds',
  // vLLM, DeepSeek, Mistral, xAI.
  'maximum (context|prompt) length',
  'maximum model length',
  // OpenAI's Responses API, llama.cpp, LM Studio.
  'exceeds? the (available |model.s )?context (window|size|length)',
  'context (window|size|length) of this model',
  // Cohere.
  'too many tokens',
];
const pattern = new RegExp(sentences.join('|'), 'is');

function isNamed(text: unknown): boolean {
  return typeof text === 'string' && pattern.test(text);
}
