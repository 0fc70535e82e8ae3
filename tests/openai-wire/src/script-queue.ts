import type { RecordedRequest } from './recorded-request.ts';

/** A script, or a function that chooses one when the request is known: to answer by what the model was asked. */
export type ScriptSource<Script> = Script | ((request: RecordedRequest) => Script);

/** Scripts in the order in which requests take them. */
export interface ScriptQueue<Script> {
  /** How many are left. */
  readonly size: number;
  add(scripts: readonly ScriptSource<Script>[]): void;
  /** What every request gets when none is left. */
  setDefault(script: ScriptSource<Script>): void;
  take(request: RecordedRequest): Script | undefined;
}

export function createScriptQueue<Script extends object>(): ScriptQueue<Script> {
  const waiting: ScriptSource<Script>[] = [];
  let fallback: ScriptSource<Script> | undefined;
  return {
    get size() {
      return waiting.length;
    },
    add: (scripts) => void waiting.push(...scripts),
    setDefault: (script) => {
      fallback = script;
    },
    take: (request) => {
      const source = waiting.shift() ?? fallback;
      return typeof source === 'function' ? source(request) : source;
    },
  };
}
