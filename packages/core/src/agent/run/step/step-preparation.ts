import { abortable } from '../../../async/abortable.ts';
import type { ModelMessage } from '../../../model/message.ts';
import type { Prompt } from '../../../model/model-port.ts';
import { resolveModels } from '../../../model/resolve-models.ts';
import { toPrompt } from '../../../model/to-prompt.ts';
import { acceptInstructions, type Instructions, systemPrompt } from '../../instructions.ts';
import type { PreparedStep, PrepareStep } from '../../loop-control.ts';
import { activeToolsOf } from '../active-tools.ts';
import type { RunTally } from '../run-tally.ts';
import type { Run } from '../run.ts';

/** Lets the app change each step of a run, by its `prepareStep`. */
export class StepPreparation {
  readonly #run: Run;
  readonly #prepareStep: PrepareStep;
  readonly #initialMessages: readonly ModelMessage[];
  #instructions: Instructions;

  constructor(run: Run, prepareStep: PrepareStep) {
    this.#run = run;
    this.#prepareStep = prepareStep;
    this.#initialMessages = messagesOf(run.prompt);
    this.#instructions = run.instructions;
  }

  /** @returns the run as the step needs it. Its prompt is that of the run, since new instructions and messages stay. */
  async prepare(stepNumber: number, { responseMessages, steps }: RunTally): Promise<Run> {
    const run = this.#run;
    const { conversationId, context, user, userId, limits, models } = run;
    const [model] = models;
    if (model === undefined) return run;
    const asked = this.#prepareStep({
      stepNumber,
      steps: [...steps],
      model,
      instructions: this.#instructions,
      initialInstructions: run.instructions,
      messages: messagesOf(run.prompt),
      initialMessages: [...this.#initialMessages],
      responseMessages: [...responseMessages],
      context,
      user,
      userId,
      conversationId,
    });
    const changes = await abortable(Promise.resolve(asked), limits.signal);
    if (changes === undefined) return run;
    await this.#changePrompt(changes);
    return changedRun(run, changes);
  }

  async #changePrompt({ instructions, messages }: PreparedStep): Promise<void> {
    const { agent, addedInstructions, fetchFile, prompt } = this.#run;
    if (instructions !== undefined) this.#instructions = acceptInstructions(agent.id, instructions);
    if (instructions === undefined && messages === undefined) return;
    const kept =
      messages === undefined
        ? prompt.filter(({ role }) => role !== 'system')
        : await toPrompt(messages, new Set(), fetchFile);
    prompt.splice(0, prompt.length, ...systemPrompt(this.#instructions, addedInstructions), ...kept);
  }
}

async function changedRun(run: Run, changes: PreparedStep): Promise<Run> {
  const { agent, allTools, loop, settingsFor } = run;
  const models = changes.model === undefined ? run.models : [...(await resolveModels(changes.model, agent.providers))];
  const { defaulted, sent } = settingsFor(models[0], changes);
  const tools = {
    activeTools: changes.activeTools ?? loop.activeTools,
    toolChoice: changes.toolChoice ?? loop.toolChoice,
  };
  return { ...run, models, settings: sent, defaulted, ...activeToolsOf(allTools, tools) };
}

/** The messages of a prompt, as the AI SDK has them. The system messages are the instructions. */
export function messagesOf(prompt: Prompt): ModelMessage[] {
  return prompt.filter(({ role }) => role !== 'system');
}
