import { type JsonObject, type JsonValue, NotFoundError } from '@halyard/contracts';
import type { Jsonify } from '../../json/jsonify.ts';
import { checkStepOptions } from '../definition/check-step-options.ts';
import { createStep } from '../definition/create-step.ts';
import type { DataContext, Flow, OutputsBefore } from '../definition/step-context.ts';
import type { Step, StepOptions, StepOutput } from '../definition/step.ts';
import { acceptJson } from '../engine/accept-json.ts';
import { askAuthor } from '../interpreter/step/ask-author.ts';

/**
 * The source of a field: a function, a value, or a reference such as
 * `{ from: 'step', stepId: 'price', path: 'total.net' }`.
 */
export type MapSource<In, F extends Flow> =
  | ((context: DataContext<In, F>) => unknown)
  | { readonly value: unknown }
  | { readonly from: 'data' | 'input' | 'context' | 'workflowState'; readonly path?: string }
  | { readonly from: 'step'; readonly stepId: string; readonly path?: string };

export interface MapOptions<Sources, Id extends string = string> extends StepOptions<Id> {
  readonly map: Sources;
}

/** The object that a map returns. */
export type MapOutput<Sources, In = unknown, F extends Flow = Flow> = {
  -readonly [Key in keyof Sources]: Sources[Key] extends (...arguments_: never[]) => infer Out
    ? Jsonify<Awaited<Out>>
    : Sources[Key] extends { readonly value: infer Value }
      ? Jsonify<Value>
      : ReadBy<Sources[Key], In, F>;
};

/** The type of a field that is read by reference. */
type ReadBy<Source, In, F extends Flow> = Source extends {
  readonly from: 'step';
  readonly stepId: infer Id extends keyof OutputsBefore<F>;
}
  ? PartOf<OutputsBefore<F>[Id], Source>
  : Source extends { readonly from: 'data' }
    ? PartOf<In, Source>
    : Source extends { readonly from: 'input' | 'workflowState' }
      ? PartOf<Jsonify<F[Source['from'] extends 'input' ? 'input' : 'state']>, Source>
      : unknown;

type PartOf<Value, Source> = Source extends { readonly path: infer Path extends string } ? At<Value, Path> : Value;

/** The part of a value at a path such as `total.net`; null where there is none. */
type At<Value, Path extends string> = unknown extends Value
  ? unknown
  : Path extends `${infer Name}.${infer Rest}`
    ? At<FieldOf<Value, Name>, Rest>
    : FieldOf<Value, Path>;

type FieldOf<Value, Name extends string> = Value extends readonly (infer Item)[]
  ? Name extends `${number}`
    ? Item | null
    : null
  : Value extends object
    ? Name extends keyof Value
      ? undefined extends Value[Name]
        ? Exclude<Value[Name], undefined> | null
        : Value[Name]
      : string extends keyof Value
        ? unknown
        : null
    : null;

/** Builds an object, each field from its source. */
export function andMap<
  In,
  const Sources extends Readonly<Record<string, MapSource<In, F>>>,
  F extends Flow = Flow,
  Id extends string = string,
>(options: MapOptions<Sources, Id>): Step<In, MapOutput<Sources, In, F>, F, StepOutput<Id, MapOutput<Sources, In, F>>> {
  checkStepOptions('andMap', options);
  const sources: readonly (readonly [string, MapSource<In, F>])[] = Object.entries(options.map);
  return createStep('andMap', options, {
    run: (run, data) =>
      askAuthor<In, F, JsonValue>(run, data, async (context) => {
        const fields: Record<string, unknown> = {};
        for (const [name, source] of sources) fields[name] = await readValue(source, context);
        return acceptJson(fields, 'it gave');
      }),
  });
}

function readValue<In, F extends Flow>(source: MapSource<In, F>, context: DataContext<In, F>): unknown {
  if (typeof source === 'function') return source(context);
  if ('value' in source) return source.value;
  return at(source.from === 'step' ? readOutput(source.stepId, context) : context[source.from], source.path);
}

function readOutput<In, F extends Flow>(stepId: string, { getStepData }: DataContext<In, F>): unknown {
  const step = getStepData(stepId);
  if (step === undefined) throw new NotFoundError('recorded step', stepId);
  return step.output;
}

/** The part of a value at a path; null when there is none. */
function at(value: unknown, path: string | undefined): unknown {
  if (path === undefined) return value;
  let part = value;
  for (const name of path.split('.')) part = isObject(part) && Object.hasOwn(part, name) ? part[name] : null;
  return part;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}
