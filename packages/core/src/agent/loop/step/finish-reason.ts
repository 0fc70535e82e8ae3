import type { FinishReason } from '../../agent-event.ts';

const finishReasons: Readonly<Record<FinishReason, true>> = {
  stop: true,
  length: true,
  'content-filter': true,
  'tool-calls': true,
  error: true,
  other: true,
};

/**
 * `other` for a reason that the API does not have: versions of the provider interface differ, and
 * so do providers.
 */
export function toFinishReason(reason: string): FinishReason {
  if (reason === 'interrupted') return 'error';
  return Object.hasOwn(finishReasons, reason) ? (reason as FinishReason) : 'other';
}
