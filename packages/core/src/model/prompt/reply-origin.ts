import type { AssistantPart, PromptMessage, ResolvedModel } from '../providers/model-port.ts';

type Model = Pick<ResolvedModel, 'modelId' | 'provider'>;
type AssistantMessage = Extract<PromptMessage, { role: 'assistant' }>;

/**
 * Marks what only the model reads that has written it: reasoning with metadata (a signature,
 * encrypted text, the id of an item), and calls that its provider ran, whose results have a form of
 * their own.
 */
export function withOrigin(content: readonly AssistantPart[], model: Model): AssistantPart[] {
  return content.map((part) =>
    isProviderCall(part) || (isReasoning(part) && part.providerOptions !== undefined)
      ? { ...part, providerOptions: { ...part.providerOptions, ...originForModel(model) } }
      : part,
  );
}

/** The mark of a part that this model has written. */
export function originForModel(model: Model): { readonly halyard: { readonly model: string } } {
  return { halyard: { model: toName(model) } };
}

/**
 * A reply as this model accepts it. Parts of another model that this one does not read are left
 * out, with the metadata of the other parts, which may refer to them. Replies without marks stay as
 * they are.
 */
export function withoutForeignParts(message: AssistantMessage, model: Model): AssistantMessage {
  const origins = new Set(message.content.map(readMark).filter((mark) => mark !== undefined));
  if (origins.size === 0) return message;
  const isForeign = origins.size > 1 || !origins.has(toName(model));
  if (!isForeign) return { ...message, content: message.content.map(withoutMark) };
  const ranElsewhere = new Set(message.content.filter(isProviderCall).map(({ toolCallId }) => toolCallId));
  const isReadable = (part: AssistantPart): boolean =>
    !isReasoning(part) && !('toolCallId' in part && ranElsewhere.has(part.toolCallId));
  const content = message.content.filter(isReadable).map(({ providerOptions: _, ...part }) => part);
  return { ...message, content };
}

function readMark(part: AssistantPart): string | undefined {
  const mark = isReasoning(part) || isProviderCall(part) ? part.providerOptions?.['halyard']?.['model'] : undefined;
  return typeof mark === 'string' ? mark : undefined;
}

/** As the provider has written it. */
function withoutMark(part: AssistantPart): AssistantPart {
  if (readMark(part) === undefined) return part;
  const { halyard: _, ...providerOptions } = part.providerOptions ?? {};
  if (Object.keys(providerOptions).length > 0) return { ...part, providerOptions };
  const { providerOptions: __, ...unmarked } = part;
  return unmarked;
}

function isReasoning({ type }: AssistantPart): boolean {
  return type === 'reasoning' || type === 'reasoning-file';
}

function isProviderCall(part: AssistantPart): part is Extract<AssistantPart, { type: 'tool-call' }> {
  return part.type === 'tool-call' && part.providerExecuted === true;
}

function toName({ modelId, provider }: Model): string {
  return `${provider}/${modelId}`;
}
