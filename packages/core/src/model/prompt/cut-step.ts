import type { MessagePart } from '@halyard/contracts';

/** Marks what models do not receive again. Providers read metadata of their own name only. */
export const cutMark = { halyard: { cut: true } };

/**
 * The last part of a stored reply whose run has not ended by itself: it is running, was stopped, or
 * has failed. Models do not receive it.
 */
export const incompletePart: Extract<MessagePart, { type: 'custom' }> = {
  type: 'custom',
  kind: 'halyard.incomplete',
  providerMetadata: cutMark,
};

/** The same of a reply that a person has stopped. */
export const stoppedPart: typeof incompletePart = {
  ...incompletePart,
  providerMetadata: { halyard: { ...cutMark.halyard, stopped: true } },
};

/** Whether the run of a stored reply has not ended by itself. */
export function isIncomplete(parts: readonly MessagePart[]): boolean {
  return parts.some(isIncompletePart);
}

/** The parts of a reply that another run continues. */
export function withoutIncompletePart(parts: readonly MessagePart[]): readonly MessagePart[] {
  return parts.filter((part) => !isIncompletePart(part));
}

/**
 * A part of a step that was cut: the run was stopped, or the model failed. The provider's metadata
 * (ids of items, signatures) hold for whole replies only; OpenAI for example keeps no items of a
 * response that was not completed. So text, files and the agent's own calls lose these metadata.
 * Reasoning and the provider's own calls cannot be sent without them: they are stored for readers
 * and marked.
 */
export function asCut(part: MessagePart): MessagePart[] {
  if ('toolCallId' in part) {
    if (part.providerExecuted === true) return [{ ...part, callProviderMetadata: cutMark }];
    const { callProviderMetadata: _, ...call } = part;
    if (!('resultProviderMetadata' in call)) return [call];
    const { resultProviderMetadata: __, ...plain } = call;
    return [plain];
  }
  switch (part.type) {
    case 'custom':
      return [];
    case 'reasoning':
    case 'reasoning-file':
      return [{ ...part, providerMetadata: cutMark }];
    case 'text':
    case 'file': {
      const { providerMetadata: _, ...plain } = part;
      return [plain];
    }
    default:
      return [part];
  }
}

/**
 * The parts that models receive again. A client without a stored conversation has cut steps as they
 * were streamed.
 */
export function withoutCut(parts: readonly MessagePart[]): readonly MessagePart[] {
  if (!parts.some((part) => isCut(part) || isOfCutStep(part))) return parts;
  const steps: MessagePart[][] = [[]];
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([]);
    steps.at(-1)?.push(part);
  }
  return steps.flatMap((step) => (step.some(isOfCutStep) ? step.flatMap(asCut) : step)).filter((part) => !isCut(part));
}

function isIncompletePart(part: MessagePart): boolean {
  return part.type === 'custom' && part.kind === incompletePart.kind;
}

/** The model had not finished this part: a text, or a call of the agent or of the provider. */
function isOfCutStep(part: MessagePart): boolean {
  if ('toolCallId' in part) return part.state === 'input-streaming' || (part.providerExecuted !== true && isCut(part));
  return (part.type === 'text' || part.type === 'reasoning') && part.state === 'streaming';
}

function isCut(part: MessagePart): boolean {
  if ('toolCallId' in part) {
    const result = 'resultProviderMetadata' in part ? part.resultProviderMetadata : undefined;
    return isCutMark(part.callProviderMetadata) || isCutMark(result);
  }
  return 'providerMetadata' in part && isCutMark(part.providerMetadata);
}

/** `null` counts as absent. */
function isCutMark(metadata: Readonly<Record<string, { readonly cut?: unknown }>> | null | undefined): boolean {
  return metadata?.['halyard']?.cut === true;
}
