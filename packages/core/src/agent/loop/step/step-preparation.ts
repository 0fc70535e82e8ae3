import { abortable } from '../../../async/abortable.ts';
import type { ModelMessage } from '../../../model/messages/message.ts';
import { toPrompt } from '../../../model/prompt/to-prompt.ts';
import type { Prompt } from '../../../model/providers/model-port.ts';
import { resolveModels } from '../../../model/providers/resolve-models.ts';
import { acceptInstructions, type Instructions, systemPrompt } from '../../instructions.ts';
import type { PreparedStep, PrepareStep } from '../../loop-control.ts';
import { selectActiveTools } from '../active-tools.ts';
import type { Run, RunDependencies } from '../run.ts';

/** Lets the app change each step of a run, by its `prepareStep`. */
export class StepPreparation {
  readonly #run: Run;
  readonly #prepareStep: PrepareStep;
  readonly #initialMessages: readonly ModelMessage[];
  #instructions: Instructions;

  constructor(run: Run, prepareStep: PrepareStep) {
    this.#run = run;
    this.#prepareStep = prepareStep;
    this.#initialMessages = withoutSystemMessages(run.conversation.prompt);
    this.#instructions = run.conversation.instructions;
  }

  /**
   * @returns the run as the step needs it. Its prompt is that of the run, since new instructions
   * and messages stay.
   */
  async prepare(stepNumber: number): Promise<Run> {
    const run = this.#run;
    const { conversation, dependencies, identity, output } = run;
    const { context, conversationId, user, userId } = identity;
    const { responseMessages, steps } = output.tally;
    const [model] = dependencies.models;
    if (model === undefined) return run;
    const asked = this.#prepareStep({
      stepNumber,
      steps: [...steps],
      model,
      instructions: this.#instructions,
      initialInstructions: conversation.instructions,
      messages: withoutSystemMessages(conversation.prompt),
      initialMessages: [...this.#initialMessages],
      responseMessages: [...responseMessages],
      context,
      user,
      userId,
      conversationId,
    });
    const changes = await abortable(Promise.resolve(asked), dependencies.limits.signal);
    if (changes === undefined) return run;
    await this.#changePrompt(changes);
    return { ...run, dependencies: await changed(dependencies, changes) };
  }

  async #changePrompt({ instructions, messages }: PreparedStep): Promise<void> {
    const { agent, fetchFile } = this.#run.dependencies;
    const { addedInstructions, prompt } = this.#run.conversation;
    if (instructions !== undefined) this.#instructions = acceptInstructions(agent.id, instructions);
    if (instructions === undefined && messages === undefined) return;
    const kept =
      messages === undefined
        ? prompt.filter(({ role }) => role !== 'system')
        : await toPrompt(messages, new Set(), fetchFile);
    prompt.splice(0, prompt.length, ...systemPrompt(this.#instructions, addedInstructions), ...kept);
  }
}

async function changed(given: RunDependencies, changes: PreparedStep): Promise<RunDependencies> {
  const { agent, allTools, loop, settingsFor } = given;
  const models =
    changes.model === undefined ? given.models : [...(await resolveModels(changes.model, agent.providers))];
  const { defaulted, sent } = settingsFor(models, changes);
  const tools = {
    activeTools: changes.activeTools ?? loop.activeTools,
    toolChoice: changes.toolChoice ?? loop.toolChoice,
  };
  return { ...given, models, settings: sent, defaulted, ...selectActiveTools(allTools, tools) };
}

/** The messages of a prompt, as the AI SDK has them. The system messages are the instructions. */
export function withoutSystemMessages(prompt: Prompt): ModelMessage[] {
  return prompt.filter(({ role }) => role !== 'system');
}
