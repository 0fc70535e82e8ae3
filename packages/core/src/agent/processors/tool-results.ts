import type { JSONValue } from '../../model/providers/model-port.ts';
import type { RunDependencies } from '../loop/run.ts';
import { outputPasses } from './bound-processor.ts';
import { processValue } from './process-value.ts';
import { passText } from './text-channel.ts';

/**
 * The result of a tool as the output processors return it. @throws GuardrailBlockedError,
 * ProcessorFailedError
 */
export function processResult({ outputProcessors }: RunDependencies, result: JSONValue): Promise<JSONValue> {
  return processValue(outputPasses(outputProcessors, 'tool-result'), result);
}

/**
 * The message of a failed call as the output processors return it. @throws GuardrailBlockedError,
 * ProcessorFailedError
 */
export function processError({ outputProcessors }: RunDependencies, message: string): Promise<string> {
  return passText(outputPasses(outputProcessors, 'tool-result'), message);
}
