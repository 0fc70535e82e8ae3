import { ConfigurationError, GuardrailBlockedError, type JsonValue } from '@halyard/contracts';
import { checkStepOptions } from '../definition/check-step-options.ts';
import { createStep } from '../definition/create-step.ts';
import type { DataContext, Flow } from '../definition/step-context.ts';
import type { Step, StepOptions, StepOutput } from '../definition/step.ts';
import { acceptJson } from '../engine/accept-json.ts';
import { askAuthor } from '../interpreter/step/ask-author.ts';

/**
 * The verdict of a guardrail. `modify` replaces the data; `block` ends the execution with an error
 * that contains the reason.
 */
export type DataVerdict<Data> =
  | { readonly action: 'allow' }
  | { readonly action: 'modify'; readonly data: Data }
  | { readonly action: 'block'; readonly reason: string };

export interface DataGuardrail<In, F extends Flow> {
  readonly name: string;
  readonly check: (data: In, context: DataContext<In, F>) => DataVerdict<In> | Promise<DataVerdict<In>>;
}

export interface GuardrailOptions<In, F extends Flow, Id extends string = string> extends StepOptions<Id> {
  /** Each one checks the data that the one before it returned. */
  readonly guardrails: readonly DataGuardrail<In, F>[];
}

/**
 * Checks the data before the next step: allows it, changes it, or ends the execution in `error`.
 */
export function andGuardrail<In, F extends Flow = Flow, Id extends string = string>(
  options: GuardrailOptions<In, F, Id>,
): Step<In, In, F, StepOutput<Id, In>> {
  checkStepOptions('andGuardrail', options);
  const { guardrails, id } = options;
  if (guardrails.length === 0) throw new ConfigurationError(`Step "${id}" (andGuardrail) needs at least one guardrail`);
  return createStep('andGuardrail', options, {
    run: async (run, data) => {
      let current: JsonValue = data;
      for (const { check, name } of guardrails) {
        const verdict = await askAuthor<In, F, DataVerdict<In>>(run, current, (context) =>
          check(context.data, context),
        );
        switch (verdict.action) {
          case 'allow':
            break;
          case 'modify':
            current = acceptJson(verdict.data, `guardrail "${name}" gave`);
            break;
          case 'block':
            throw new GuardrailBlockedError('output', name, verdict.reason);
          default:
            verdict satisfies never;
        }
      }
      return current;
    },
  });
}
