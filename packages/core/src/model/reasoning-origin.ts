import type { AssistantPart, PromptMessage, ResolvedModel } from './model-port.ts';

type Model = Pick<ResolvedModel, 'modelId' | 'provider'>;
type AssistantMessage = Extract<PromptMessage, { role: 'assistant' }>;

/**
 * Marks reasoning with the model that it is from. What a provider says about it (a signature, encrypted text, the id of an item) is accepted by the same model only,
 * so reasoning without such metadata needs no mark.
 */
export function withOrigin(content: readonly AssistantPart[], model: Model): AssistantPart[] {
  return content.map((part) => {
    if (!isReasoning(part) || part.providerOptions === undefined) return part;
    return { ...part, providerOptions: { ...part.providerOptions, ...originOf(model) } };
  });
}

/** The mark of a part that this model has written. */
export function originOf(model: Model): { readonly halyard: { readonly model: string } } {
  return { halyard: { model: nameOf(model) } };
}

/**
 * An answer as this model accepts it. If its reasoning is from another model, it is sent without it, and without the metadata of the other parts, which may refer to it.
 * Answers without marked reasoning stay as they are.
 */
export function withoutForeignReasoning(message: AssistantMessage, model: Model): AssistantMessage {
  const origins = new Set(message.content.map(markOf).filter((mark) => mark !== undefined));
  if (origins.size === 0) return message;
  const isForeign = !origins.has(nameOf(model)) || origins.size > 1;
  const content = isForeign
    ? message.content.filter((part) => !isReasoning(part)).map(({ providerOptions: _, ...part }) => part)
    : message.content.map((part) => (markOf(part) === undefined ? part : withoutMark(part)));
  return { ...message, content };
}

function markOf(part: AssistantPart): string | undefined {
  const mark = isReasoning(part) ? part.providerOptions?.['halyard']?.['model'] : undefined;
  return typeof mark === 'string' ? mark : undefined;
}

function withoutMark(part: AssistantPart): AssistantPart {
  const { halyard: _, ...providerOptions } = part.providerOptions ?? {};
  return { ...part, providerOptions };
}

function isReasoning({ type }: AssistantPart): boolean {
  return type === 'reasoning' || type === 'reasoning-file';
}

function nameOf({ modelId, provider }: Model): string {
  return `${provider}/${modelId}`;
}
