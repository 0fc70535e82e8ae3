import { expect, it } from 'vitest';
import {
  AbortedError,
  ConflictError,
  GuardrailBlockedError,
  InvalidInputError,
  ModelFailedError,
  NotFoundError,
  StoppedError,
  TimeLimitError,
  ToolFailedError,
  UnavailableError,
} from '../errors.ts';
import { outcomeOfError } from './error-outcome.ts';

it.each([
  [new AbortedError(), 'aborted'],
  [new StoppedError(), 'aborted'],
  [new GuardrailBlockedError('input', 'words', 'no'), 'refused'],
  [new GuardrailBlockedError('output', 'words', 'no'), 'refused'],
  [new InvalidInputError('input is empty'), 'refused'],
  [new NotFoundError('conversation', 'c1'), 'refused'],
  [new ConflictError('BUSY', 'busy'), 'refused'],
  [new ModelFailedError('helper'), 'failed'],
  [new TimeLimitError('the run', 5), 'failed'],
  [new ToolFailedError('search'), 'failed'],
  [new UnavailableError('STORAGE_UNAVAILABLE', 'no reply'), 'failed'],
  [new TypeError('no'), 'failed'],
  ['text', 'failed'],
])('takes %s as %s', (error, outcome) => {
  expect(outcomeOfError(error)).toBe(outcome);
});
