import { abortable } from '../../../async/abortable.ts';
import type { Prompt } from '../../../model/providers/model-port.ts';
import { processPrompt } from '../../processors/bound-processor.ts';
import { estimateTokens } from '../../processors/estimate-tokens.ts';
import { shortenHistory } from '../add-history.ts';
import type { Run } from '../run.ts';

/**
 * The prompt of a step, as the processors return it. @throws GuardrailBlockedError,
 * ProcessorFailedError
 */
export async function sentPrompt(run: Run, step: number, isTooLong = false): Promise<Prompt> {
  const { limits, processors } = run.dependencies;
  const { lastUsage } = run.conversation;
  const prompt = [...run.conversation.prompt];
  if (processors.length === 0) return prompt;
  return abortable(processPrompt(processors, { step, prompt, isTooLong, lastUsage }), limits.signal);
}

/**
 * The prompt of a step after the model has refused it as too long. Undefined if the processors
 * leave out nothing more.
 *
 * @throws GuardrailBlockedError, ProcessorFailedError
 */
export async function shorterPrompt(run: Run, step: number, refused: Prompt): Promise<Prompt | undefined> {
  if (run.dependencies.processors.length === 0) return undefined;
  await shortenHistory(run);
  const prompt = await sentPrompt(run, step, true);
  return countTokens(prompt) < countTokens(refused) ? prompt : undefined;
}

function countTokens(prompt: Prompt): number {
  return prompt.reduce((sum, message) => sum + estimateTokens(message), 0);
}
