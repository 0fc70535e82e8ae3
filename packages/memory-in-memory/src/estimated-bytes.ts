import type { NewExecutionEvent } from '@halyard/contracts';
import type { StoredExecution, StoredRoot } from './executions/stored-execution.ts';

const bytesPerValue = 16;
const bytesPerExecution = 1_000;
const bytesPerEvent = 150;
const bytesPerEntry = 150;
/** Values that come from code may refer to themselves. */
const greatestDepth = 100;

/** About how much memory a root holds on to, with its sub-workflows. What a step was given and gave is counted where it is recorded, not in its events. */
export function estimatedBytes(root: StoredRoot): number {
  let bytes = executionBytes(root);
  for (const entry of root.journal) bytes += bytesPerEntry + estimatedJsonBytes(entry.output);
  for (const child of root.descendants ?? []) bytes += executionBytes(child);
  return bytes;
}

function executionBytes(stored: StoredExecution): number {
  let bytes = bytesPerExecution + estimatedJsonBytes(stored.input) + estimatedJsonBytes(stored.output ?? null);
  bytes +=
    estimatedJsonBytes(stored.context) + estimatedJsonBytes(stored.workflowState) + estimatedJsonBytes(stored.metadata);
  if (stored.user !== undefined) bytes += estimatedJsonBytes(stored.user);
  for (const event of stored.events) bytes += bytesPerEvent + (isOfStep(event) ? 0 : estimatedJsonBytes(event));
  return bytes;
}

function isOfStep({ type }: NewExecutionEvent): boolean {
  return type === 'step-start' || type === 'step-complete';
}

/** About how much memory a JSON value takes, or one with binary data in it. */
export function estimatedJsonBytes(value: unknown, depth = 0): number {
  if (typeof value === 'string') return bytesPerValue + value.length;
  if (typeof value !== 'object' || value === null || depth > greatestDepth) return bytesPerValue;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return bytesPerValue + value.byteLength;
  let bytes = bytesPerValue;
  // Without an iterator, which costs much where the value is frozen, and without a list of what is in it.
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) bytes += estimatedJsonBytes(value[index], depth + 1);
  } else {
    for (const name in value)
      bytes += bytesPerValue + estimatedJsonBytes((value as Record<string, unknown>)[name], depth + 1);
  }
  return bytes;
}
