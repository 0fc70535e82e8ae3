import type { Attributes } from '@halyard/contracts';

/**
 * Where a processor works: on the request, on the stored messages, on the prompt of a model call,
 * or on the reply.
 */
export type ProcessorHook = 'input' | 'history' | 'step' | 'output';

export function processorAttributes(
  name: string,
  hook: ProcessorHook,
  action: 'modify' | 'block' | 'fail',
  source: string | undefined,
  details: Readonly<Record<string, string | number>>,
): Attributes {
  const more: Attributes = Object.fromEntries(
    Object.entries(details).map(([key, value]) => [`halyard.processor.${key}`, value] as const),
  );
  return {
    ...more,
    'halyard.processor.name': name,
    'halyard.processor.hook': hook,
    'halyard.processor.action': action,
    ...(source !== undefined && { 'halyard.processor.source': source }),
  };
}
