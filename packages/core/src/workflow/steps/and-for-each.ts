import { ConfigurationError, InvalidInputError, type JsonValue } from '@halyard/contracts';
import { createStep } from '../definition/create-step.ts';
import type { DataContext, Flow } from '../definition/step-context.ts';
import type { Step, StepOptions, StepOutput } from '../definition/step.ts';
import { acceptJson } from '../engine/accept-json.ts';
import { allBranches } from '../interpreter/branches/branches.ts';
import { askAuthor } from '../interpreter/step/ask-author.ts';

/** Options of a loop over the data, which must be a list. */
export interface ForEachOptions<
  In,
  Out,
  F extends Flow,
  Id extends string = string,
  Inner extends object = {},
> extends StepOptions<Id> {
  /**
   * Runs once for each item, with the item as its data. Its instances are `<id>:0`, `<id>:1`, ….
   */
  readonly step: Step<ItemOf<In>, Out, F, Inner>;
  /** How many items run in parallel; default 1. */
  readonly concurrency?: number | undefined;
  readonly items?: undefined;
}

/** Options of a loop over a list that a function returns. */
export interface ForEachItemOptions<
  In,
  Item,
  Out,
  F extends Flow,
  Id extends string = string,
  Inner extends object = {},
> extends Omit<ForEachOptions<In, Out, F, Id>, 'items' | 'step'> {
  /** Returns the list. Called once; the list is recorded. */
  readonly items: (context: DataContext<In, F>) => readonly Item[] | Promise<readonly Item[]>;
  /**
   * Runs once for each item. If `items` reads the data, the step must declare the type of an item:
   * `({ data }: { data: string }) => …`.
   */
  readonly step: Step<KnownItem<In, Item>, Out, F, Inner>;
}

/** The item type of a list. */
export type ItemOf<Data> = Data extends readonly (infer Item)[] ? Item : never;

/**
 * The item type while the compiler has not inferred it from `items`: that of the data, or unknown
 * if the data is not a list.
 */
export type KnownItem<In, Item> = [Item] extends [never] ? ([ItemOf<In>] extends [never] ? unknown : ItemOf<In>) : Item;

/**
 * Runs a step for each item of a list. The output is the list of their outputs, in the order of the
 * items. The first failure stops the others.
 */
export function andForEach<
  In,
  Out,
  Item = never,
  F extends Flow = Flow,
  Id extends string = string,
  Inner extends object = {},
>(options: ForEachItemOptions<In, Item, Out, F, Id, Inner>): Step<In, Out[], F, Inner & StepOutput<Id, Out[]>>;
export function andForEach<In, Out, F extends Flow = Flow, Id extends string = string, Inner extends object = {}>(
  options: ForEachOptions<In, Out, F, Id, Inner>,
): Step<In, Out[], F, Inner & StepOutput<Id, Out[]>>;
export function andForEach<In, Item, Out, F extends Flow, Id extends string, Inner extends object>(
  options: ForEachOptions<In, Out, F, Id, Inner> | ForEachItemOptions<In, Item, Out, F, Id, Inner>,
): Step<In, Out[], F, Inner & StepOutput<Id, Out[]>> {
  const { concurrency = 1, id, items, step } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new ConfigurationError(`concurrency of step "${id}" must be an integer of 1 or more`);
  return createStep('andForEach', options, {
    steps: [step],
    run: async (run, data) => {
      const list =
        items === undefined
          ? data
          : await run.decide('items', async () => acceptJson(await askAuthor(run, data, items), 'its items hold'));
      return allBranches(
        run,
        asList(list).map((value, item) => (scope) => run.inner(step, value, { item, scope })),
        concurrency,
      );
    },
  });
}

function asList(value: JsonValue): readonly JsonValue[] {
  if (isList(value)) return value;
  throw new InvalidInputError('its data must be a list, or `items` must return one');
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
